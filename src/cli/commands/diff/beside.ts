import { diffTextLines, diffWords, isMostlySame, type TextPiece } from '#analysis/diff/text-diff.js';
import { pluralize } from '#base/numbers.js';
import { sliceStart, truncate } from '#base/text.js';
import { type Block, line, pair, type Span, span } from '#ui/doc/doc.js';

/** A line of each text; null for a text without a line in this row. */
interface Row {
  readonly before: string | null;
  readonly after: string | null;
  readonly isSame: boolean;
}

/** Two versions of a text side by side, with the changed words of each line marked. */
export function renderSideBySide(before: string, after: string, { isFull }: TextDiffStyle): readonly Block[] {
  const rows = keepAroundChanges(pairLines(diffTextLines(before, after)), ({ isSame }) => !isSame, isFull);
  const shown = isFull ? rows : rows.slice(0, MOST_LINES);
  const blocks = shown.map((row) => (row === null ? GAP : renderRow(row, isFull)));
  return limitBlocks(blocks, isFull, rows.length);
}

/** Removed lines beside added lines, in order. */
export function renderLinesSideBySide(before: readonly string[], after: readonly string[]): readonly Block[] {
  return pairInOrder(before, after).map(({ before: was, after: is }) =>
    pair(renderWholeLine('-', was), renderWholeLine('+', is)),
  );
}

/** Pairs changed lines with their replacements. */
function pairLines(pieces: readonly TextPiece[]): readonly Row[] {
  const rows: Row[] = [];
  let removed: readonly string[] = [];
  let added: readonly string[] = [];
  const flush = (): void => {
    for (const row of pairInOrder(removed, added)) rows.push(row);
    removed = [];
    added = [];
  };
  for (const { kind, text } of pieces) {
    const lines = splitLines(text);
    if (kind === 'removed') removed = lines;
    else if (kind === 'added') added = lines;
    else {
      flush();
      for (const each of lines) rows.push({ before: each, after: each, isSame: true });
    }
  }
  flush();
  return rows;
}

function pairInOrder(before: readonly string[], after: readonly string[]): readonly Row[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => ({
    before: before[at] ?? null,
    after: after[at] ?? null,
    isSame: false,
  }));
}

function renderRow({ before, after, isSame }: Row, isFull: boolean): Block {
  const shorten = (text: string | null): string | null => (isFull || text === null ? text : clipLine(text));
  const same = [span(`  ${shorten(before) ?? ''}`, 'faint')];
  if (isSame) return pair(same, same);
  const words = before === null || after === null ? null : diffWords(before, after);
  const longest = Math.max(before?.length ?? 0, after?.length ?? 0);
  if (words === null || !isMostlySame(words, longest))
    return pair(renderWholeLine('-', shorten(before)), renderWholeLine('+', shorten(after)));
  const isLong = !isFull && longest > MOST_CHARACTERS_OF_A_LINE;
  const pieces = isLong ? words.map((piece, at) => shortenPiece(piece, at === 0, at === words.length - 1)) : words;
  return pair(renderHalf('-', pieces), renderHalf('+', pieces));
}

type Sign = '-' | '+';

const TONES = { '-': 'error', '+': 'good' } as const;

function renderWholeLine(sign: Sign, text: string | null): readonly Span[] {
  return text === null ? [] : [span(`${sign} ${text}`, TONES[sign])];
}

/** The words of one side, the changed ones marked. */
function renderHalf(sign: Sign, pieces: readonly TextPiece[]): readonly Span[] {
  const other = sign === '-' ? 'added' : 'removed';
  return [span(`${sign} `, TONES[sign]), ...pieces.filter(({ kind }) => kind !== other).map(markWord)];
}

function shortenPiece({ kind, text }: TextPiece, isFirst: boolean, isLast: boolean): TextPiece {
  return { kind, text: kind === 'same' ? shortenUnchanged(text, isFirst, isLast) : clipLine(text) };
}

function clipLine(text: string): string {
  return truncate(text, MOST_CHARACTERS_OF_A_LINE);
}

/** Options for the display of changed texts. */
export interface TextDiffStyle {
  /** Nothing is left out. */
  readonly isFull: boolean;
  /** Words inside their text, whatever its length. */
  readonly byWords: boolean;
  /** The old version on the left, the new one on the right. */
  readonly isBeside: boolean;
}

const MOST_CHARACTERS_OF_A_LINE = 300;
const MOST_LINES = 40;
const CONTEXT_LINES = 2;
const CONTEXT_CHARACTERS = 60;

/** The changes of a text: by words for a single line, else by lines with some context. */
export function renderTextDiff(before: string, after: string, style: TextDiffStyle): readonly Block[] {
  const isShort = ![before, after].some((text) => text.includes('\n') || text.length > MOST_CHARACTERS_OF_A_LINE);
  if (style.byWords || isShort) return renderWordDiff(diffWords(before, after), style);
  return renderHunks(diffTextLines(before, after), style);
}

/** Marks a word as `git diff --word-diff` does, since the terminal may have no colours. */
function markWord({ kind, text }: TextPiece): Span {
  if (kind === 'same') return span(text);
  return kind === 'removed' ? span(`[-${text}-]`, 'error') : span(`{+${text}+}`, 'good');
}

function renderWordDiff(pieces: readonly TextPiece[], { isFull }: TextDiffStyle): readonly Block[] {
  const lines: Span[][] = [[]];
  for (const [at, piece] of pieces.entries()) {
    const isCut = piece.kind === 'same' && !isFull;
    const text = isCut ? shortenUnchanged(piece.text, at === 0, at === pieces.length - 1) : piece.text;
    for (const [part, words] of text.split('\n').entries()) {
      if (part > 0) lines.push([]);
      if (words !== '') lines.at(-1)?.push(markWord({ kind: piece.kind, text: words }));
    }
  }
  return limitBlocks(
    lines.map((spans) => line(span('    '), ...spans)),
    isFull,
  );
}

/** The words around a change; `…` replaces the others. */
export function shortenUnchanged(text: string, isFirst: boolean, isLast: boolean): string {
  const head = isFirst ? 0 : CONTEXT_CHARACTERS;
  const tail = isLast ? 0 : CONTEXT_CHARACTERS;
  if (text.length <= head + tail + 3) return text;
  return `${sliceStart(text, head)}…${tail === 0 ? '' : text.slice(-tail).replace(/^[\udc00-\udfff]/, '')}`;
}

function renderHunks(pieces: readonly TextPiece[], { isFull }: TextDiffStyle): readonly Block[] {
  const all = pieces.flatMap(({ kind, text }) => splitLines(text).map((words) => ({ kind, text: words })));
  const blocks = keepAroundChanges(all, ({ kind }) => kind !== 'same', isFull).map((shown) => {
    if (shown === null) return GAP;
    const { kind, text } = shown;
    if (kind === 'same') return line(span(`      ${text}`, 'faint'));
    return kind === 'removed' ? line(span(`    - ${text}`, 'error')) : line(span(`    + ${text}`, 'good'));
  });
  return limitBlocks(blocks, isFull);
}

const GAP: Block = line(span('    …', 'faint'));

/** The changed lines of a list, with some lines around them; null replaces the omitted ones. */
function keepAroundChanges<Line>(all: readonly Line[], isChange: (line: Line) => boolean, isFull: boolean) {
  const isShown = all.map(
    (_, at) => isFull || all.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(isChange),
  );
  return all.flatMap((one, at) => {
    if (isShown[at]) return [one];
    return (isShown[at - 1] ?? true) ? [null] : [];
  });
}

/** A line break at the end begins no new line. */
function splitLines(text: string): readonly string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** The blocks that fit on a screen, and a line that counts the others. */
export function limitBlocks(blocks: readonly Block[], isFull: boolean, length = blocks.length): readonly Block[] {
  if (isFull || length <= MOST_LINES) return blocks;
  const more = pluralize(length - MOST_LINES, 'more line');
  return [...blocks.slice(0, MOST_LINES), line(span(`    … ${more}: --full shows them`, 'faint'))];
}
