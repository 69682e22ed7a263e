import { diffTextLines, diffWords, type TextPiece } from '#analysis/diff/text-diff.js';
import { plural, startOf } from '#base/words.js';
import { type Block, line, type Span, span } from '#ui/doc/doc.js';

/** Options for the display of changed texts. */
export interface TextStyle {
  /** Nothing is left out. */
  readonly isFull: boolean;
  /** Words inside their text, whatever its length. */
  readonly byWords: boolean;
}

const MOST_CHARACTERS_OF_A_LINE = 300;
const MOST_LINES = 40;
const CONTEXT_LINES = 2;
const CONTEXT_CHARACTERS = 60;

/** The changes of a text: by words for a single line, else by lines with some context. */
export function textDiffDoc(before: string, after: string, style: TextStyle): readonly Block[] {
  const isShort = ![before, after].some((text) => text.includes('\n') || text.length > MOST_CHARACTERS_OF_A_LINE);
  if (style.byWords || isShort) return wordLines(diffWords(before, after), style);
  return hunks(diffTextLines(before, after), style);
}

/** As `git diff --word-diff` marks words, since there may be no colours. */
function marked({ kind, text }: TextPiece): Span {
  if (kind === 'same') return span(text);
  return kind === 'removed' ? span(`[-${text}-]`, 'error') : span(`{+${text}+}`, 'good');
}

function wordLines(pieces: readonly TextPiece[], { isFull }: TextStyle): readonly Block[] {
  const lines: Span[][] = [[]];
  for (const [at, piece] of pieces.entries()) {
    const isCut = piece.kind === 'same' && !isFull;
    const text = isCut ? shortSame(piece.text, at === 0, at === pieces.length - 1) : piece.text;
    for (const [part, words] of text.split('\n').entries()) {
      if (part > 0) lines.push([]);
      if (words !== '') lines.at(-1)?.push(marked({ kind: piece.kind, text: words }));
    }
  }
  return cutList(
    lines.map((spans) => line(span('    '), ...spans)),
    isFull,
  );
}

/** The words around a change; `…` replaces the others. */
export function shortSame(text: string, isFirst: boolean, isLast: boolean): string {
  const [head, tail] = [isFirst ? 0 : CONTEXT_CHARACTERS, isLast ? 0 : CONTEXT_CHARACTERS];
  if (text.length <= head + tail + 3) return text;
  return `${startOf(text, head)}…${tail === 0 ? '' : text.slice(-tail).replace(/^[\udc00-\udfff]/, '')}`;
}

function hunks(pieces: readonly TextPiece[], { isFull }: TextStyle): readonly Block[] {
  const all = pieces.flatMap(({ kind, text }) => linesIn(text).map((words) => ({ kind, text: words })));
  const blocks = aroundChanges(all, ({ kind }) => kind !== 'same', isFull).map((shown) => {
    if (shown === null) return GAP;
    const { kind, text } = shown;
    if (kind === 'same') return line(span(`      ${text}`, 'faint'));
    return kind === 'removed' ? line(span(`    - ${text}`, 'error')) : line(span(`    + ${text}`, 'good'));
  });
  return cutList(blocks, isFull);
}

/** Replaces omitted lines. */
const GAP: Block = line(span('    …', 'faint'));

/** The changed lines of a list, with some lines around them; null replaces the omitted ones. */
function aroundChanges<Line>(
  all: readonly Line[],
  isChange: (of: Line) => boolean,
  isFull: boolean,
): readonly (Line | null)[] {
  const isShown = all.map(
    (_, at) => isFull || all.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(isChange),
  );
  return all.flatMap((of, at) => {
    if (isShown[at]) return [of];
    return (isShown[at - 1] ?? true) ? [null] : [];
  });
}

/** A line break at the end begins no new line. */
function linesIn(text: string): readonly string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** As many blocks as fit on a screen, and how many more there are. */
export function cutList(blocks: readonly Block[], isFull: boolean): readonly Block[] {
  if (isFull || blocks.length <= MOST_LINES) return blocks;
  const more = plural(blocks.length - MOST_LINES, 'more line');
  return [...blocks.slice(0, MOST_LINES), line(span(`    … ${more}: --full shows them`, 'faint'))];
}
