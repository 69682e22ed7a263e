import { Box, Text, useIsScreenReaderEnabled } from 'ink';
import { createContext, memo, useContext } from 'react';
import { span } from '../../doc/doc.js';
import { joinSpans } from '../../doc/spans.js';
import { divideScreen } from '../layout.js';
import { cutLineTo, type ScreenLine, type ScreenLook } from '../lines.js';
import type { Scroll } from '../scroll.js';
import { measureTab } from '../tab.js';
import { renderEnvelopeTitle, renderListTitle, type ScreenView } from '../view.js';

/** List and envelope, side by side where there is room. */
export function Panes({ view: { state, rows, inside: lines } }: { readonly view: ScreenView }) {
  const { list, envelope, body } = divideScreen(state);
  const isInList = state.focus === 'list' && state.rows.length > 0;
  const isInside = state.focus === 'envelope' && state.tab === 'messages' && measureTab(state).length > 0;
  return (
    <Box height={body + 1}>
      {list > 0 && (
        <Pane
          title={renderListTitle(state)}
          lines={rows}
          cells={list}
          selected={isInList ? findCursorLine(state.list) : null}
        />
      )}
      {list > 0 && envelope > 0 && <Pane title={null} lines={buildDivider(body)} cells={1} />}
      {envelope > 0 && (
        <Pane
          title={renderEnvelopeTitle(state)}
          lines={lines}
          cells={envelope}
          selected={isInside ? findCursorLine(state.inside) : null}
        />
      )}
    </Box>
  );
}

/** The line of a cursor on the screen. */
function findCursorLine({ cursor, top }: Scroll): number {
  return cursor - top;
}

/** The line between list and envelope, which begins in their titles. */
function buildDivider(rows: number): readonly ScreenLine[] {
  return Array.from(`┬${'│'.repeat(rows)}`, (sign) => [span(sign, 'faint')]);
}

interface PaneProps {
  /** Null for lines without a title. */
  readonly title: ScreenLine | null;
  readonly lines: readonly ScreenLine[];
  readonly cells: number;
  /** The index of the highlighted line. */
  readonly selected?: number | null;
}

/** Lines, below a title if there is one. Only visible lines exist, so each keeps its place and changes its text. */
export function Pane({ title, lines, cells, selected = null }: PaneProps) {
  return (
    <Box flexDirection="column" width={cells}>
      {title && <TitleRule title={title} cells={cells} />}
      {lines.map((line, at) => (
        <ScreenRow key={at} line={line} cells={cells} isSelected={at === selected} />
      ))}
    </Box>
  );
}

export const LookContext = createContext<ScreenLook | null>(null);

export function useLook(): ScreenLook {
  const look = useContext(LookContext);
  if (look === null) throw new Error('no look');
  return look;
}

interface RowProps {
  readonly line: ScreenLine;
  readonly cells: number;
  /** Swaps foreground and background across the whole row, in one colour, so that it stands out as one line. */
  readonly isSelected?: boolean;
}

/** One line of the screen, cut where its pane ends: Ink would measure the text after that as well. */
export function ScreenRow({ line, cells, isSelected = false }: RowProps) {
  const { style, ruler } = useLook();
  const isSpoken = useIsScreenReaderEnabled();
  const cut = cutLineTo(line, cells, ruler);
  if (isSpoken) return <Spoken line={cut} isSelected={isSelected} />;
  const rest = isSelected ? [span(' '.repeat(Math.max(0, cells - ruler.widthOf(joinSpans(cut)))))] : [];
  const text = [...cut, ...rest].map((piece: ScreenLine[number]) => {
    if ((piece.isInverse ?? false) !== isSelected) return invert(piece.text);
    return isSelected ? piece.text : style(piece.tone, piece.text);
  });
  return <Styled text={text.join('')} />;
}

/** A line for a screen reader, which Ink calls selected where it is. */
function Spoken({ line, isSelected = false }: Omit<RowProps, 'cells'>) {
  const text = joinSpans(line)
    .replace(DRAWN, ' ')
    .replace(/(?<=\S) {2,}/g, ' ')
    .trimEnd();
  return (
    <Box aria-state={{ selected: isSelected }}>
      <Text>{text === '' ? ' ' : text}</Text>
    </Box>
  );
}

/** Lines of boxes, blocks of bars, and signs, whose names a screen reader would read. */
const DRAWN = /[\u2500-\u259f›⏎]+/g;

function invert(text: string): string {
  return text === '' ? '' : `\u001b[7m${text}\u001b[27m`;
}

/** React skips a row whose text is unchanged, and Ink does not measure it. An empty text would have no height. */
const Styled = memo(function Styled({ text }: { readonly text: string }) {
  return <Text wrap="truncate">{text === '' ? ' ' : text}</Text>;
});

/** A title within a horizontal rule across a pane. */
export function TitleRule({ title, cells }: { readonly title: ScreenLine; readonly cells: number }) {
  const { ruler } = useLook();
  const isSpoken = useIsScreenReaderEnabled();
  if (isSpoken) return <ScreenRow line={title.map(markOpenTab)} cells={cells} />;
  const line = [span('─ ', 'faint'), ...title, span(' ')];
  const rest = Math.max(0, cells - ruler.widthOf(joinSpans(line)));
  return <ScreenRow line={[...line, span('─'.repeat(rest), 'faint')]} cells={cells} />;
}

/** The open tab of a title, marked because it has no colour. */
function markOpenTab(piece: ScreenLine[number]): ScreenLine[number] {
  return piece.isInverse ? span(`(selected) ${piece.text}`) : piece;
}
