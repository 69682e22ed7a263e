import { readTypedPattern, runTypedPattern } from '#analysis/search/list-search.js';
import { memoizeByObject } from '#base/memoize.js';
import { joinSpans, sliceSpans } from '../doc/spans.js';
import type { ScreenLine } from './lines.js';

/** The indices of the lines that match. Every key needs them again. */
export const findMatchingLines = memoizeByObject((lines: readonly ScreenLine[], typed: string): readonly number[] => {
  const pattern = readTypedPattern(typed);
  return runTypedPattern(pattern, () => lines.flatMap((line, at) => (pattern.test(joinSpans(line)) ? [at] : [])));
});

/** Marks the matches of a pattern in lines. */
export function highlightMatches(lines: readonly ScreenLine[], typed: string | null): readonly ScreenLine[] {
  if (typed === null || typed === '') return lines;
  const pattern = readTypedPattern(typed);
  const all = new RegExp(pattern.source, `${pattern.flags}g`);
  return runTypedPattern(pattern, () => lines.map((line) => markMatches(line, all)));
}

function markMatches(line: ScreenLine, pattern: RegExp): ScreenLine {
  const text = joinSpans(line);
  let end = 0;
  const before = [...text.matchAll(pattern)].flatMap(({ 0: match, index }) => {
    const pieces = sliceSpans(line, end, index);
    end = index + match.length;
    return [...pieces, ...sliceSpans(line, index, end).map((piece) => ({ ...piece, isInverse: true }))];
  });
  return [...before, ...sliceSpans(line, end, text.length)];
}
