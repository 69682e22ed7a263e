import { findSecrets } from '#analysis/secrets/find-secrets.js';
import type { TextSpan } from '#analysis/secrets/readings.js';
import { incrementCount } from '#base/maps.js';
import { memoizeTexts } from '#base/memoize.js';
import { decodeEscapes } from './value-forms.js';
import type { ValueSpan } from './value-spans.js';

/** The placeholders of secrets: `[REDACTED:github-token:1]`. Equal values have the same placeholder. */
export class Placeholders {
  private readonly byValue = new Map<string, string>();
  private readonly last = new Map<string, number>();

  /** A number reveals nothing of the value; a hash would reveal a short one. */
  assign(value: string, kind: string): string {
    const earlier = this.byValue.get(value);
    if (earlier !== undefined) return earlier;
    const name = toSlug(kind);
    const placeholder = `[REDACTED:${name}:${incrementCount(this.last, name)}]`;
    this.byValue.set(value, placeholder);
    return placeholder;
  }

  /** Numbers that a text has from an earlier redaction are not given again. */
  reserve(text: string): void {
    if (!text.includes(PLACEHOLDER_MARK)) return;
    for (const [, name = '', number] of text.matchAll(PLACEHOLDER))
      this.last.set(name, Math.max(this.last.get(name) ?? 0, Number(number)));
  }
}

/** Every text with a placeholder contains this. */
export const PLACEHOLDER_MARK = 'REDACTED:';

const PLACEHOLDER = /\[REDACTED:([a-z0-9-]{1,100}):(\d{1,9})\]/g;

/** Whether a text is a placeholder and nothing else. */
export function isPlaceholder(text: string): boolean {
  return text !== '' && text.replaceAll(PLACEHOLDER, (whole) => (isGenuine(whole) ? '' : whole)) === '';
}

function* findPlaceholders(text: string, holds: (name: string) => boolean): Generator<TextSpan> {
  if (!text.includes(PLACEHOLDER_MARK)) return;
  for (const { index, 0: whole, 1: name = '' } of text.matchAll(PLACEHOLDER)) {
    if (isGenuine(whole) && !holds(name)) yield { start: index, end: index + whole.length };
  }
}

/** A text may contain a secret that is written like a placeholder. */
const isGenuine = memoizeTexts((placeholder: string): boolean => findSecrets(placeholder).length === 0);

function toSlug(kind: string): string {
  const slug = kind
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? 'secret' : slug;
}

const LONGEST_SLUG = 60;

/**
 * Removes from spans, see `joinOverlapping`, the placeholders of an earlier redaction, which are never replaced again.
 * `holds`: whether the name of a placeholder holds a value that was found elsewhere.
 */
export function excludePlaceholders(
  text: string,
  spans: readonly ValueSpan[],
  holds: (name: string) => boolean,
): readonly ValueSpan[] {
  if (spans.length === 0) return spans;
  const placeholders = [...findPlaceholders(text, holds)];
  let next = 0;
  return spans.flatMap((span) => {
    while ((placeholders[next]?.end ?? Infinity) <= span.start) next += 1;
    const starts = [span.start];
    const ends: number[] = [];
    for (let at = next; (placeholders[at]?.start ?? Infinity) < span.end; at += 1) {
      starts.push(placeholders[at]?.end ?? span.end);
      ends.push(placeholders[at]?.start ?? span.end);
    }
    if (ends.length === 0) return [span];
    return starts.flatMap((start, at) => {
      const end = ends[at] ?? span.end;
      return start < end ? [{ ...span, start, end, plain: decodeEscapes(text.slice(start, end)) }] : [];
    });
  });
}

/**
 * Whether a value that a rule has found is too unusual to occur by chance. Such a value is also replaced where no rule
 * finds it. A password may be a common word.
 */
export function isDistinctive(plain: string): boolean {
  return plain.length >= LEAST && plain.length <= MOST && /[A-Za-z]/.test(plain) && /\d/.test(plain);
}

const LEAST = 10;

/** A longer pattern would take too long to search for. */
const MOST = 16_384;
