import { applyReadingChanges, type DecodedText, type TextSpan } from '#analysis/secrets/readings.js';
import { addTo } from '#base/maps.js';
import { decodeEscapes, listValueForms, type ValueForm } from './value-forms.js';
import { type ValueSpan, widenToEscapes } from './value-spans.js';

/** A value that is replaced wherever it occurs. */
export interface ExactValue {
  /** See `decodeEscapes`. */
  readonly plain: string;
  /** A description for people. */
  readonly kind: string;
  /** The user named it; otherwise it was found in a session. */
  readonly isGiven: boolean;
  readonly forms: readonly ValueForm[];
  /** Every line with the value contains one of these; empty if no such text is known. */
  readonly anchors: readonly string[];
}

/** The values to search for verbatim. */
export class ExactValueIndex {
  readonly all: ExactValue[] = [];
  private readonly plainValues = new Set<string>();
  /** The values without an anchor, which any text may contain. */
  private readonly anywhere: ExactValue[] = [];
  /** The values with anchors, by the beginnings of the anchors. */
  private readonly byBeginning = new Map<string, { readonly anchor: string; readonly value: ExactValue }[]>();
  /** 1 for the code of three characters with which an anchor begins. It rules out nearly all places of a text. */
  private readonly starts = new Uint8Array(1 << (SHORT_BEGINNING * BITS_OF_ASCII));
  private readonly patterns = new Map<string, RegExp>();

  add(value: string, kind: string, isGiven: boolean): void {
    const plain = decodeEscapes(value);
    if (this.plainValues.has(plain)) return;
    this.plainValues.add(plain);
    const forms = listValueForms(value);
    const anchors = forms.flatMap(({ anchor }) => anchor ?? []);
    const isAnywhere = anchors.length < forms.length;
    const added = { plain, kind, isGiven, forms, anchors: isAnywhere ? [] : [...new Set(anchors)] };
    this.all.push(added);
    if (isAnywhere) this.anywhere.push(added);
    for (const anchor of added.anchors) {
      addTo(this.byBeginning, takeBeginning(anchor), { anchor, value: added });
      this.starts[toStartCode(anchor, 0)] = 1;
    }
  }

  /**
   * Finds the values that a text may contain. The time depends on the length of the text, hardly on the number of
   * values.
   */
  findPossible(text: string): readonly ExactValue[] {
    const found = new Set(this.anywhere);
    for (const { text: reading } of listReadings(text)) {
      for (let at = 0; at + SHORT_BEGINNING <= reading.length; at += 1) {
        if (this.starts[toStartCode(reading, at)] === 1) this.addValuesAt(reading, at, found);
      }
    }
    return [...found];
  }

  /** Adds the values that have an anchor at this place of a text. */
  private addValuesAt(text: string, at: number, found: Set<ExactValue>): void {
    for (const length of [SHORT_BEGINNING, LONG_BEGINNING]) {
      const possible = this.byBeginning.get(text.slice(at, at + length)) ?? [];
      for (const { anchor, value } of possible) {
        if (text.startsWith(anchor, at)) found.add(value);
      }
    }
  }

  /** The places of some of the values in a text. */
  *find(text: string, values: readonly ExactValue[]): Generator<ValueSpan> {
    for (const reading of listReadings(text)) {
      for (const { plain, kind, forms } of values) {
        for (const { anchor, sources } of forms) {
          if (anchor !== null && !reading.text.includes(anchor)) continue;
          for (const { start, end } of this.findMatches(sources, reading.text)) {
            const written = reading.written(start, end);
            yield { ...widenToEscapes(text, written.start, written.end), plain, kind };
          }
        }
      }
    }
  }

  private *findMatches([first = '', ...rest]: readonly string[], text: string): Generator<TextSpan> {
    for (const match of text.matchAll(this.compilePattern(first, 'g'))) {
      const end = this.matchRest(text, match.index + match[0].length, rest);
      if (end !== null) yield { start: match.index, end };
    }
  }

  /** The end of a value's rest; null if something else is there. */
  private matchRest(text: string, start: number, rest: readonly string[]): number | null {
    let end = start;
    for (const source of rest) {
      const pattern = this.compilePattern(source, 'y');
      pattern.lastIndex = end;
      if (!pattern.test(text)) return null;
      end = pattern.lastIndex;
    }
    return end;
  }

  private compilePattern(source: string, flag: 'g' | 'y'): RegExp {
    const key = flag + source;
    const pattern = this.patterns.get(key) ?? new RegExp(source, flag);
    this.patterns.set(key, pattern);
    return pattern;
  }
}

/** Filters the values that a text may contain. */
export function filterPossibleValues(text: string, values: readonly ExactValue[]): readonly ExactValue[] {
  const readings = listReadings(text);
  const isIn = (anchor: string): boolean => readings.some((reading) => reading.text.includes(anchor));
  return values.filter(({ anchors }) => anchors.length === 0 || anchors.some(isIn));
}

/** A text itself and, if it escapes letters, which JSON.stringify never does, with these letters. */
function listReadings(text: string): readonly DecodedText[] {
  const plain: DecodedText = { text, written: (start, end) => ({ start, end }) };
  if (!ESCAPED_LETTER.test(text)) return [plain];
  const changes = Array.from(
    text.matchAll(ESCAPED_LETTERS),
    ({ index, 0: whole, groups: { slashes = '', hex = '' } = {} }) => ({
      // JSON doubles the backslashes of an escape at each level; those left over are part of the text.
      start: index + slashes.length - findLowestBit(slashes.length),
      end: index + whole.length,
      reads: String.fromCharCode(Number.parseInt(hex, 16)),
    }),
  );
  const read = applyReadingChanges(plain, changes);
  return read ? [plain, read] : [plain];
}

function findLowestBit(count: number): number {
  return count & -count;
}

const ESCAPED_LETTER = /\\u00[2-7][\da-fA-F]/;

const ESCAPED_LETTERS = /(?<slashes>\\{1,64})u00(?<hex>[2-7][\da-fA-F])/g;

function takeBeginning(anchor: string): string {
  return anchor.slice(0, anchor.length < LONG_BEGINNING ? SHORT_BEGINNING : LONG_BEGINNING);
}

/** A number for the three characters at a place, the same for the same ones. */
function toStartCode(text: string, at: number): number {
  const first = text.charCodeAt(at) & ASCII;
  const second = text.charCodeAt(at + 1) & ASCII;
  const third = text.charCodeAt(at + 2) & ASCII;
  return (first << (2 * BITS_OF_ASCII)) | (second << BITS_OF_ASCII) | third;
}

const BITS_OF_ASCII = 7;

const ASCII = 0x7f;

/** No anchor is shorter. */
const SHORT_BEGINNING = 3;

/** Tokens of one service begin alike, but differ within this length. */
const LONG_BEGINNING = 12;
