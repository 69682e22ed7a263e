import { isWithinPair } from '#base/words.js';
import { formsOf, plainOf, type ValueForm } from './value-pattern.js';

/** A value that is replaced wherever it occurs. */
export interface ExactValue {
  /** See `plainOf`. */
  readonly plain: string;
  /** A description for people. */
  readonly kind: string;
  /** The user named it; otherwise it was found in a session. */
  readonly isGiven: boolean;
  readonly forms: readonly ValueForm[];
  /** Every line with the value contains one of these; empty if no such text is known. */
  readonly anchors: readonly string[];
}

/** A stretch of a text that is to be replaced, in UTF-16 code units. */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
  /** Stretches of the same value have the same placeholder. */
  readonly plain: string;
  readonly kind: string;
}

/** The values that are looked for as they are. */
export class ExactValues {
  readonly all: ExactValue[] = [];
  private readonly known = new Set<string>();
  private readonly patterns = new Map<string, RegExp>();

  add(value: string, kind: string, isGiven: boolean): void {
    const plain = plainOf(value);
    if (this.known.has(plain)) return;
    this.known.add(plain);
    const forms = formsOf(value);
    const anchors = forms.flatMap(({ anchor }) => anchor ?? []);
    this.all.push({ plain, kind, isGiven, forms, anchors: anchors.length < forms.length ? [] : [...new Set(anchors)] });
  }

  /** The places of some of the values in a text. */
  *find(text: string, values: Iterable<ExactValue>): Generator<ValueSpan> {
    const isThorough = ESCAPED_ASCII.test(text);
    for (const { plain, kind, forms } of values) {
      for (const { anchor, usual, thorough } of forms) {
        if (!isThorough && anchor !== null && !text.includes(anchor)) continue;
        const [first = '', ...rest] = isThorough ? thorough : usual;
        for (const match of text.matchAll(this.patternOf(first, 'g'))) {
          const last = this.endOf(text, match.index + match[0].length, rest);
          if (last !== null) yield { ...inEscapes(text, match.index, last), plain, kind };
        }
      }
    }
  }

  /** The end of a value's rest; null if something else is there. */
  private endOf(text: string, start: number, rest: readonly string[]): number | null {
    let end = start;
    for (const source of rest) {
      const pattern = this.patternOf(source, 'y');
      pattern.lastIndex = end;
      if (!pattern.test(text)) return null;
      end = pattern.lastIndex;
    }
    return end;
  }

  private patternOf(source: string, flag: 'g' | 'y'): RegExp {
    const key = flag + source;
    const pattern = this.patterns.get(key) ?? new RegExp(source, flag);
    this.patterns.set(key, pattern);
    return pattern;
  }
}

/** Those of the values that a line, or a text, may hold. */
export function valuesWithin(text: string, values: readonly ExactValue[]): readonly ExactValue[] {
  if (ESCAPED_ASCII.test(text)) return values;
  return values.filter(({ anchors }) => anchors.length === 0 || anchors.some((anchor) => text.includes(anchor)));
}

/** With such an escape any character can be written in another way, which JSON.stringify never does. */
const ESCAPED_ASCII = /\\u00[2-7]/;

/** Widens a stretch to all of the escapes that it begins and ends in, so that JSON in the text stays JSON. */
export function inEscapes(text: string, start: number, end: number): { readonly start: number; readonly end: number } {
  const behind = endOfEscapes(text, end);
  let backslashes = 0;
  while (text[start - 1 - backslashes] === '\\') backslashes += 1;
  const first = CAN_BE_ESCAPED.has(text[start] ?? '') ? start - backslashes : start;
  return {
    start: isWithinPair(text, first) ? first - 1 : first,
    end: isWithinPair(text, behind) ? behind + 1 : behind,
  };
}

/** Behind the backslashes that a stretch ends with, but for one that the next character needs. */
function endOfEscapes(text: string, end: number): number {
  if (text[end - 1] !== '\\') return end;
  let behind = end;
  while (text[behind] === '\\') behind += 1;
  let run = 0;
  while (text[behind - 1 - run] === '\\') run += 1;
  return run % 2 === 1 && CAN_BE_ESCAPED.has(text[behind] ?? '') ? behind - 1 : behind;
}

const CAN_BE_ESCAPED: ReadonlySet<string> = new Set('nrtbfu"/');

/** The stretches that the user's patterns match: all of a match or, where there is one, its group `secret`. */
export function* findOwn(text: string, patterns: readonly RegExp[]): Generator<ValueSpan> {
  for (const pattern of patterns) {
    for (const { index, 0: whole, indices } of text.matchAll(pattern)) {
      const [from, to] = indices?.groups?.['secret'] ?? [index, index + whole.length];
      if (from === to) continue;
      const { start, end } = inEscapes(text, from, to);
      yield { start, end, plain: plainOf(text.slice(from, to)), kind: 'pattern' };
    }
  }
}
