import { limited, patternOf } from '#analysis/search/list-search.js';
import { onceOf } from '#base/once.js';
import { type Line, plainText } from './lines.js';

/** The indices of the lines that match. Every key needs them again. */
export const matchingLines = onceOf((lines: readonly Line[], typed: string): readonly number[] => {
  const pattern = patternOf(typed);
  return limited(pattern, () => lines.flatMap((line, at) => (pattern.test(plainText(line)) ? [at] : [])));
});

/** Marks the matches of a pattern in lines. */
export function highlighted(lines: readonly Line[], typed: string | null): readonly Line[] {
  if (typed === null || typed === '') return lines;
  const pattern = patternOf(typed);
  const all = new RegExp(pattern.source, `${pattern.flags}g`);
  return limited(pattern, () => lines.map((line) => markedIn(line, all)));
}

function markedIn(line: Line, pattern: RegExp): Line {
  const text = plainText(line);
  const ranges = [...text.matchAll(pattern)].map(({ 0: match, index }) => [index, index + match.length] as const);
  if (ranges.length === 0) return line;
  let at = 0;
  return line.flatMap((piece) => {
    const start = at;
    at += piece.text.length;
    return piecesOf(piece, start, ranges);
  });
}

/** Cuts a piece of a line at the ranges that begin or end in it. */
function piecesOf(piece: Line[number], start: number, ranges: readonly (readonly [number, number])[]): Line {
  const end = start + piece.text.length;
  const edges = ranges.flat().filter((edge) => edge > start && edge < end);
  const cuts = [start, ...edges, end];
  return cuts.slice(1).map((to, nth) => {
    const from = cuts[nth] ?? start;
    const isInverse = ranges.some(([first, last]) => first <= from && to <= last && first < last);
    return { ...piece, text: piece.text.slice(from - start, to - start), ...(isInverse ? { isInverse } : {}) };
  });
}
