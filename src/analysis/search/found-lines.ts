import type { Head } from '#session/table/head.js';
import type { Place } from './entry-places.js';
import type { TextMatch } from './text-matches.js';

/** A match with the place that holds it. */
export interface Found {
  readonly source: Place;
  readonly match: TextMatch;
  /** The entry that says it; of a system part or tool the one that declared the line. */
  readonly head: Head | null;
}

/** A line of a text with all that was found in it. */
export interface FoundLine extends Omit<TextMatch, 'start' | 'end'> {
  readonly head: Head | null;
  readonly place: string;
  /** Where the matches stand in `text`; of a line that was cut, those that are in it, and one at least. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  /** The first match. */
  readonly first: Found;
}

/** Puts the matches of one line together. They come in order, and so do the lines. */
export function* foundLines(matches: Iterable<Found>): Generator<FoundLine> {
  let line: { readonly first: Found; spans: { start: number; end: number }[] } | null = null;
  for (const found of matches) {
    if (!line || !isSameLine(line.first, found)) {
      if (line) yield whole(line.first, line.spans);
      line = { first: found, spans: [] };
    }
    const { textStart, text } = line.first.match;
    const { start, end } = found.match;
    const from = found.match.textStart - textStart + start;
    const span = { start: from, end: from + end - start };
    if (span.end <= text.length) line.spans.push(span);
  }
  if (line) yield whole(line.first, line.spans);
}

function isSameLine(one: Found, other: Found): boolean {
  return one.source === other.source && one.match.lineInText === other.match.lineInText;
}

function whole(first: Found, spans: FoundLine['spans']): FoundLine {
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
