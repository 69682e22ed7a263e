import type { Secret } from '#analysis/secrets/define.js';
import { isInsideSurrogatePair } from '#base/text.js';
import { decodeEscapes } from './value-forms.js';

/** A span of a text that is to be replaced, in UTF-16 code units. */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
  /** The decoded value. Equal values have the same placeholder. */
  readonly plain: string;
  readonly kind: string;
}

/** Widens a span to the whole escapes at its ends, so that JSON in the text stays JSON. */
export function widenToEscapes(
  text: string,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  const last = findEscapesEnd(text, end);
  let backslashes = 0;
  while (text[start - 1 - backslashes] === '\\') backslashes += 1;
  const first = CAN_BE_ESCAPED.has(text[start] ?? '') ? start - backslashes : start;
  return {
    start: isInsideSurrogatePair(text, first) ? first - 1 : first,
    end: isInsideSurrogatePair(text, last) ? last + 1 : last,
  };
}

/** The position after the backslashes at the end of a span, except one that escapes the next character. */
function findEscapesEnd(text: string, end: number): number {
  if (text[end - 1] !== '\\') return end;
  let past = end;
  while (text[past] === '\\') past += 1;
  let run = 0;
  while (text[past - 1 - run] === '\\') run += 1;
  return run % 2 === 1 && CAN_BE_ESCAPED.has(text[past] ?? '') ? past - 1 : past;
}

const CAN_BE_ESCAPED: ReadonlySet<string> = new Set('nrtbfu"/');

/** The spans that the user's patterns match: the group `secret` of a match if it has one, else the whole match. */
export function* findByPatterns(text: string, patterns: readonly RegExp[]): Generator<ValueSpan> {
  for (const pattern of patterns) {
    for (const { index, 0: whole, indices } of text.matchAll(pattern)) {
      const [from, to] = indices?.groups?.secret ?? [index, index + whole.length];
      if (from === to) continue;
      const { start, end } = widenToEscapes(text, from, to);
      yield { start, end, plain: decodeEscapes(text.slice(from, to)), kind: 'pattern' };
    }
  }
}

/** A secret that a rule has found. */
export function toValueSpan(text: string, { start, end, kind, value }: Omit<Secret, 'secretClass'>): ValueSpan {
  return { ...widenToEscapes(text, start, end), plain: decodeEscapes(value), kind };
}

/** Sorts spans, and joins those that overlap. */
export function joinOverlapping(text: string, spans: readonly ValueSpan[]): readonly ValueSpan[] {
  const kept: ValueSpan[] = [];
  for (const next of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    else if (next.end > last.end) kept[kept.length - 1] = joinSpans(text, last, next);
  }
  return kept;
}

function joinSpans(text: string, first: ValueSpan, second: ValueSpan): ValueSpan {
  const { start } = first;
  const { end } = second;
  const longer = second.end - second.start > first.end - first.start ? second : first;
  return { start, end, kind: longer.kind, plain: decodeEscapes(text.slice(start, end)) };
}
