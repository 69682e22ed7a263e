import { isInsideSurrogatePair } from '#base/text.js';

/** A match in one line of a text. */
export interface TextMatch {
  /** The number of the line in the text, from 1. */
  readonly lineInText: number;
  /** The line of the match; for a very long line, the text around the match. */
  readonly text: string;
  /** Whether `text` is the whole line. */
  readonly isWhole: boolean;
  /** The start of `text` in its line: 0 unless it was cut. */
  readonly textStart: number;
  /** The position of the match in `text`, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A longer line is cut around a match, since many matches in it would repeat the whole line. */
const LONGEST_LINE = 1000;

/** The matches of a pattern (with the flag `g`) in a text, line by line, with `context` lines around each. */
export function* findTextMatches(text: string, pattern: RegExp, context: number): Generator<TextMatch> {
  let lineInText = 0;
  for (let from = 0; from <= text.length;) {
    const newline = text.indexOf('\n', from);
    const to = newline === -1 ? text.length : newline;
    lineInText += 1;
    const line = text.slice(from, to);
    for (const { index, length } of findSpans(line, pattern)) {
      yield {
        lineInText,
        ...cutAround(line, index, length),
        before: context === 0 ? [] : listLinesBefore(text, from, context),
        after: context === 0 ? [] : listLinesAfter(text, to, context),
      };
    }
    from = to + 1;
  }
}

interface MatchSpan {
  readonly index: number;
  readonly length: number;
}

/** An empty match only marks the line: it counts if it is the only one. */
function* findSpans(line: string, pattern: RegExp): Generator<MatchSpan> {
  let empty: MatchSpan | null = null;
  let hasOther = false;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(line); found; found = pattern.exec(line)) {
    const { 0: matched, index } = found;
    if (matched !== '') {
      hasOther = true;
      // The caller may have used the pattern between two matches.
      const { lastIndex } = pattern;
      yield { index, length: matched.length };
      pattern.lastIndex = lastIndex;
      continue;
    }
    empty ??= { index, length: 0 };
    pattern.lastIndex = index + (pattern.unicode && isInsideSurrogatePair(line, index + 1) ? 2 : 1);
  }
  if (empty && !hasOther) yield empty;
}

function cutAround(
  line: string,
  index: number,
  length: number,
): Pick<TextMatch, 'text' | 'isWhole' | 'textStart' | 'start' | 'end'> {
  const room = Math.max(0, LONGEST_LINE - length);
  const isWhole = line.length <= LONGEST_LINE;
  const textStart = isWhole ? 0 : toWholeStart(line, Math.max(0, index - Math.floor(room / 2)));
  const textEnd = isWhole ? line.length : toWholeEnd(line, Math.min(line.length, index + length + Math.ceil(room / 2)));
  const start = index - textStart;
  return { text: line.slice(textStart, textEnd), isWhole, textStart, start, end: start + length };
}

/** A nearby position that does not split a surrogate pair. */
function toWholeStart(line: string, at: number): number {
  return at > 0 && isInsideSurrogatePair(line, at) ? at - 1 : at;
}

function toWholeEnd(line: string, at: number): number {
  return isInsideSurrogatePair(line, at) ? at + 1 : at;
}

function listLinesBefore(text: string, from: number, most: number): readonly string[] {
  const lines: string[] = [];
  for (let end = from - 1; end >= 0 && lines.length < most;) {
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    lines.push(text.slice(start, Math.min(end, start + LONGEST_LINE)));
    end = start - 1;
  }
  return lines.toReversed();
}

function listLinesAfter(text: string, to: number, most: number): readonly string[] {
  const lines: string[] = [];
  for (let start = to + 1; start <= text.length && lines.length < most;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    lines.push(text.slice(start, Math.min(end, start + LONGEST_LINE)));
    start = end + 1;
  }
  return lines;
}
