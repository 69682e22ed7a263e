import { sumBy } from '#base/lists.js';
import { type Block, type Cell, type Span, span } from './doc.js';
import { isNameFirst, putNameFirst } from './long-path.js';
import type { View } from './renderer.js';
import type { renderRichText } from './rich-text.js';
import { isNarrow, type Ruler } from './ruler.js';
import { wrapSpans } from './spans.js';
import type { Style } from './style.js';

/** The space between cells side by side. */
export const COLUMN_GAP = 2;

export const GAP = ' '.repeat(COLUMN_GAP);

/** The indentation of everything below a heading. */
export const INDENT = '  ';
/** The cells by which a line that goes on is indented more than its beginning. */
export const HANGING = 2;

/** The width, ruler and style that lines are fitted to. */
export interface TextLayout {
  readonly columns: View['columns'];
  readonly isTerminal?: View['isTerminal'];
  readonly style: Style;
  readonly ruler: Ruler;
  readonly addressOf?: View['addressOf'];
  /** Renders Markdown and code, where a terminal shows some. */
  readonly richLines?: typeof renderRichText | undefined;
}

/** Parts of one line side by side, cut at its end; each is written by `textOf`. */
export function renderSpans<Part extends Span>(
  parts: readonly Part[],
  cells: number,
  page: TextLayout,
  textOf: (part: Part, isLast: boolean) => string = ({ text }) => text,
): string {
  let left = cells;
  let at = 0;
  let out = '';
  for (const part of parts) {
    at += 1;
    let text = textOf(part, at === parts.length);
    if (cells !== Infinity) {
      text = cutSpan(part, text, left, page.ruler);
      left -= page.ruler.widthOf(text);
    }
    out += styleSpan(part, text, page);
  }
  return out;
}

/** The text of a part in a number of cells. The end of a file name is kept, by which it differs from others. */
export function cutSpan({ file }: Span, text: string, cells: number, ruler: Ruler): string {
  return file === undefined ? ruler.cutTo(text, cells) : ruler.cutStart(text, cells);
}

/**
 * Parts of one line side by side, in as many lines as they take. The name of a file is never broken, as it is copied: a
 * long one begins a line of its own. On a terminal its folder comes after it, and is shortened.
 */
export function renderWrapped(parts: readonly Span[], cells: number, page: TextLayout, hanging = 0): readonly string[] {
  const at = parts.findIndex(({ file, text }) => file !== undefined && !page.ruler.fits(text, cells - hanging));
  const long = parts[at];
  if (!long)
    return wrapSpans(parts, cells, page.ruler, hanging).map((spans) => renderSpans(spans, Infinity, page).trimEnd());

  const before = parts.slice(0, at);
  const after = parts.slice(at + 1);
  const wrap = (some: readonly Span[]): readonly string[] =>
    some.length === 0 ? [] : renderWrapped(some, cells, page, hanging);
  const isCopied = !page.isTerminal && !isNameFirst(long.text);
  const used = before.reduce((sum, { text }) => sum + page.ruler.widthOf(text), 0);
  const beside = isCopied ? null : putNameFirst(long, cells - used, cells - hanging, page.ruler);
  if (beside) return wrap([...before, ...beside, ...after]);
  const indent = ' '.repeat(at === 0 ? 0 : hanging);
  const room = cells - indent.length;
  const below = isCopied ? null : putNameFirst(long, room, room - HANGING, page.ruler);
  if (below) {
    const lines = renderWrapped([...below, ...after], room, page, HANGING);
    return [...wrap(before), ...lines.map((text) => indent + text)];
  }
  return [...wrap(before), indent + renderSpans([long], Infinity, page), ...wrap(after)];
}

/** A text in its tone, which a terminal links to its file. Spaces after it are not part of the link. */
function styleSpan({ tone, file }: Span, text: string, { style, addressOf }: TextLayout): string {
  const address = file === undefined ? undefined : addressOf?.(file);
  if (address === undefined) return style(tone, text);
  const name = text.trimEnd();
  return `\u001b]8;;${address}\u001b\\${style(tone, name)}\u001b]8;;\u001b\\${text.slice(name.length)}`;
}

/** Cells side by side: a long one takes the padding of those after it, and the last one is cut where the line ends. */
export function renderRow(cells: readonly Cell[], page: TextLayout): string {
  const { columns, ruler } = page;
  let over = 0;
  return renderSpans(cells, columns, page, ({ text: whole, width, align, most = Infinity, isPath = false }, isLast) => {
    const text = most === Infinity ? whole : ruler[isPath ? 'cutStart' : 'cutTo'](whole, most);
    if (isLast) return text;
    const room = width - over;
    const isShort = text.length * 2 <= room;
    over = isShort ? 0 : Math.max(0, ruler.widthOf(text) - room);
    return ruler.padTo(text, Math.max(0, room), align) + GAP;
  }).trimEnd();
}

/** Renders cells side by side. The cells after the last one with a width are a sentence, which wraps below itself. */
export function renderProseRow(cells: readonly Cell[], page: TextLayout): readonly string[] {
  const { columns, ruler } = page;
  const first = cells.findLastIndex(({ width }) => width > 0) + 1;
  const before = cells.slice(0, first);
  const pad = ({ text, width, align }: Cell): string => ruler.padTo(text, width, align) + GAP;
  const start = renderSpans(before, Infinity, page, pad);
  const indent = sumBy(before, ({ text, width }) => Math.max(width, ruler.widthOf(text)) + COLUMN_GAP);
  const prose = cells.slice(first).flatMap((part, at) => (at === 0 ? [part] : [span(GAP), part]));
  const room = columns - indent;
  if (room < NARROWEST_PROSE)
    return [start.trimEnd(), ...renderWrapped(prose, columns - BELOW.length, page).map((text) => BELOW + text)];
  return renderWrapped(prose, room, page)
    .map((text, at) => (at === 0 ? start : ' '.repeat(indent)) + text)
    .map((text) => text.trimEnd());
}

const NARROWEST_PROSE = 20;

/** If less of the line is free, the sentence begins on the next one. */
const BELOW = ' '.repeat(4);

/**
 * Whether nothing in a line has to be made visible or measured: one look at all of its text, as there can be very many
 * lines.
 */
export function isPlainLine(block: Block): boolean {
  if (block.kind === 'row') return areNarrow(block.cells);
  return block.kind === 'line' && areNarrow(block.spans);
}

function areNarrow(parts: readonly Span[]): boolean {
  let all = '';
  for (const { text } of parts) all += text;
  return isNarrow(all);
}
