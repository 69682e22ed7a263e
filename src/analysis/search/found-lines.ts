import type { Head } from '#session/heads/head.js';
import type { TextPlace } from './entry-texts.js';
import type { TextMatch } from './text-matches.js';

export interface LineMatch {
  readonly source: TextPlace;
  readonly match: TextMatch;
  /** The source entry; for a system part or tool the one that declared the line. */
  readonly head: Head | null;
}

export interface FoundLine extends Omit<TextMatch, 'start' | 'end'> {
  readonly head: Head | null;
  readonly place: string;
  /** The positions of the matches in `text`; for a truncated line, those that are in it, and one at least. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  readonly first: LineMatch;
}

/** Groups the matches of one line. They come in order, and so do the lines. */
export function* groupMatchesByLine(matches: Iterable<LineMatch>): Generator<FoundLine> {
  let line: { readonly first: LineMatch; spans: { start: number; end: number }[] } | null = null;
  for (const found of matches) {
    if (!line || !isSameLine(line.first, found)) {
      if (line) yield toFoundLine(line.first, line.spans);
      line = { first: found, spans: [] };
    }
    const { textStart, text } = line.first.match;
    const { start, end } = found.match;
    const from = found.match.textStart - textStart + start;
    const span = { start: from, end: from + end - start };
    if (span.end <= text.length) line.spans.push(span);
  }
  if (line) yield toFoundLine(line.first, line.spans);
}

function isSameLine(one: LineMatch, other: LineMatch): boolean {
  return one.source === other.source && one.match.lineInText === other.match.lineInText;
}

function toFoundLine(first: LineMatch, spans: FoundLine['spans']): FoundLine {
  const { lineInText, text, isWhole, textStart, before, after } = first.match;
  return {
    lineInText,
    text,
    isWhole,
    textStart,
    before,
    after,
    head: first.head,
    place: first.source.place,
    spans,
    first,
  };
}
