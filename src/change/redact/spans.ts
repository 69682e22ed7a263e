import type { Secret } from '#analysis/secrets/define.js';
import { inEscapes, type Span } from './exact-values.js';
import { placeholdersIn } from './placeholders.js';
import { plainOf } from './value-pattern.js';

/** A secret that a rule has found. */
export function spanOf(text: string, { start, end, kind, value }: Secret): Span {
  return { ...inEscapes(text, start, end), plain: plainOf(value), kind };
}

/** Stretches in order that do not overlap. Those that did are one: all of what they hold is replaced. */
export function apart(text: string, spans: readonly Span[]): readonly Span[] {
  const kept: Span[] = [];
  for (const next of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    else if (next.end > last.end) kept[kept.length - 1] = joined(text, last, next);
  }
  return kept;
}

function joined(text: string, first: Span, second: Span): Span {
  const { start } = first;
  const { end } = second;
  const longer = second.end - second.start > first.end - first.start ? second : first;
  return { start, end, kind: longer.kind, plain: plainOf(text.slice(start, end)) };
}

/** What is left of stretches, see `apart`, without placeholders of an earlier redaction, which are never masked again. */
export function besidePlaceholders(text: string, spans: readonly Span[]): readonly Span[] {
  if (spans.length === 0) return spans;
  const known = [...placeholdersIn(text)];
  let next = 0;
  return spans.flatMap((span) => {
    while ((known[next]?.end ?? Infinity) <= span.start) next += 1;
    const starts = [span.start];
    const ends: number[] = [];
    for (let at = next; (known[at]?.start ?? Infinity) < span.end; at += 1) {
      starts.push(known[at]?.end ?? span.end);
      ends.push(known[at]?.start ?? span.end);
    }
    if (ends.length === 0) return [span];
    return starts.flatMap((start, at) => {
      const end = ends[at] ?? span.end;
      return start < end ? [{ ...span, start, end, plain: plainOf(text.slice(start, end)) }] : [];
    });
  });
}

/**
 * Whether a value that a rule has found is one that nothing else would be by chance, so that it can be replaced where
 * no rule finds it. A password may be a word.
 */
export function isDistinctive(plain: string): boolean {
  return plain.length >= LEAST && plain.length <= MOST && /[A-Za-z]/.test(plain) && /\d/.test(plain);
}

const LEAST = 10;
/** What it would take too long to look for. */
const MOST = 16_384;
