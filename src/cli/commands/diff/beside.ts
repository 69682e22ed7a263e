import { diffTextLines, diffWords, type TextPiece } from '#analysis/diff/text-diff.js';
import { startOf } from '#base/words.js';
import { type Block, pair, type Span, span } from '#ui/doc/doc.js';
import {
  aroundChanges,
  cutList,
  GAP,
  linesIn,
  marked,
  MOST_CHARACTERS_OF_A_LINE,
  MOST_LINES,
  shortSame,
  type TextStyle,
} from './text.js';

/** A line of each text; null where one has none in this place. */
interface Row {
  readonly before: string | null;
  readonly after: string | null;
  readonly isSame: boolean;
}

/** What a text was and what it has become, line beside line, with the changed words of each line marked. */
export function besideDoc(before: string, after: string, { isFull }: TextStyle): readonly Block[] {
  const rows = aroundChanges(rowsOf(diffTextLines(before, after)), ({ isSame }) => !isSame, isFull);
  const shown = isFull ? rows : rows.slice(0, MOST_LINES);
  const blocks = shown.map((row) => (row === null ? GAP : rowBlock(row, isFull)));
  return cutList(blocks, isFull, rows.length);
}

/** Lines that were removed beside those that were added, whatever they say. */
export function besideLines(before: readonly string[], after: readonly string[]): readonly Block[] {
  return beside(before, after).map(({ before: was, after: is }) => pair(whole('-', was), whole('+', is)));
}

/** Lines that changed stand beside those in their place. */
function rowsOf(pieces: readonly TextPiece[]): readonly Row[] {
  const rows: Row[] = [];
  let removed: readonly string[] = [];
  let added: readonly string[] = [];
  const flush = (): void => {
    for (const row of beside(removed, added)) rows.push(row);
    [removed, added] = [[], []];
  };
  for (const { kind, text } of pieces) {
    const lines = linesIn(text);
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

function beside(before: readonly string[], after: readonly string[]): readonly Row[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => ({
    before: before[at] ?? null,
    after: after[at] ?? null,
    isSame: false,
  }));
}

function rowBlock({ before, after, isSame }: Row, isFull: boolean): Block {
  const short = (text: string | null): string | null => (isFull || text === null ? text : clipped(text));
  if (isSame) return pair(...both([span(`  ${short(before) ?? ''}`, 'faint')]));
  if (before === null || after === null) return pair(whole('-', short(before)), whole('+', short(after)));
  const words = diffWords(before, after);
  if (!isAlike(words, Math.max(before.length, after.length)))
    return pair(whole('-', short(before)), whole('+', short(after)));
  const isLong = !isFull && Math.max(before.length, after.length) > MOST_CHARACTERS_OF_A_LINE;
  const pieces = isLong ? words.map((piece, at) => around(piece, at === 0, at === words.length - 1)) : words;
  return pair(half('-', pieces), half('+', pieces));
}

function both(spans: readonly Span[]): [readonly Span[], readonly Span[]] {
  return [spans, spans];
}

type Sign = '-' | '+';

const TONES = { '-': 'error', '+': 'good' } as const;

function whole(sign: Sign, text: string | null): readonly Span[] {
  return text === null ? [] : [span(`${sign} ${text}`, TONES[sign])];
}

/** The words of one side, the changed ones marked. */
function half(sign: Sign, pieces: readonly TextPiece[]): readonly Span[] {
  const other = sign === '-' ? 'added' : 'removed';
  return [span(`${sign} `, TONES[sign]), ...pieces.filter(({ kind }) => kind !== other).map(marked)];
}

/** Marked words help only where most of a line is still the same. */
const LEAST_SHARE = 0.3;

function isAlike(pieces: readonly TextPiece[], length: number): boolean {
  const same = pieces.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0);
  return same >= length * LEAST_SHARE;
}

function around({ kind, text }: TextPiece, isFirst: boolean, isLast: boolean): TextPiece {
  return { kind, text: kind === 'same' ? shortSame(text, isFirst, isLast) : clipped(text) };
}

function clipped(text: string): string {
  return text.length <= MOST_CHARACTERS_OF_A_LINE ? text : `${startOf(text, MOST_CHARACTERS_OF_A_LINE)}…`;
}
