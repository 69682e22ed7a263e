import { memoize } from '#base/memoize.js';

/** A string to find in bytes, with the required context around it. */
export interface Anchor {
  /** Three characters or more. */
  readonly text: string;
  /** No letter, digit or _ precedes it. */
  readonly beginsWord: boolean;
  readonly rest: RequiredText;
}

/** The text that must follow. */
interface RequiredText {
  readonly source: string;
  readonly steps: readonly Step[];
  /** The minimum number of letters, digits, _ and - at its beginning. */
  readonly run: number;
}

/** A repeated character class with its minimum and maximum; the match takes the longest run. */
interface Step {
  /** A character class in the syntax of regular expressions. */
  readonly characters: string;
  readonly least: number;
  readonly most: number;
}

/** The characters of an anchor's text. */
const SHORTEST_TEXT = 3;
const LONGEST_TEXT = 48;
/** Texts with fewer characters are part of too many words to be searched alone. */
const DISTINCT_TEXT = 6;
/** The maximum of characters that an anchor may have after its text. */
const LONGEST_REST = 1800;

/**
 * Reads an anchor like `\bghp_[A-Za-z0-9]{36}`: plain ASCII text, with `\b` at the beginning of a word, followed by
 * classes with counts, and single characters.
 */
export function parseAnchor(anchor: string): Anchor {
  const text = readAnchorText(anchor);
  if (!ASCII.test(text) || text.length < SHORTEST_TEXT || text.length > LONGEST_TEXT)
    throw new RangeError(`"${anchor}" is no anchor`);
  const start = skipWordMark(anchor);
  return { text, beginsWord: start > 0, rest: parseRest(anchor.slice(start + text.length)) };
}

/**
 * Reads the text with which every match of an anchor begins. The text ends where JSON, a URL or HTML may write the next
 * character as an escape.
 */
export function readAnchorText(anchor: string): string {
  const start = skipWordMark(anchor);
  const bracket = anchor.indexOf('[', start);
  const text = anchor.slice(start, bracket === -1 ? anchor.length : bracket);
  const plain = /^[A-Za-z0-9_.~-]*/.exec(text)?.[0] ?? '';
  return plain.length >= DISTINCT_TEXT ? plain : text;
}

function skipWordMark(anchor: string): number {
  return anchor.startsWith(WORD_MARK) ? WORD_MARK.length : 0;
}

const WORD_MARK = String.raw`\b`;
const ASCII = /^[ -~]*$/;

/** The steps of an anchor. Many anchors share them. */
const parseRest = memoize((source: string): RequiredText => {
  const steps = Array.from(source.matchAll(STEP), ([whole, characters, least = '1', most = least]) => ({
    characters: characters ?? `[\\u{${(whole.codePointAt(0) ?? 0).toString(16)}}]`,
    least: Number(least),
    most: Number(most),
  }));
  if (steps.reduce((sum, { most }) => sum + most, 0) > LONGEST_REST) throw new RangeError(`"${source}" is too long`);
  return { source, steps, run: measureRun(steps) };
});

/** A class with its counts, or one character. */
const STEP = /(\[(?:[^\]\\]|\\.)*\])(?:\{(\d+)(?:,(\d+))?\})?|[^[]/g;

/** The minimum number of letters, digits, _ and - with which the text of steps begins. */
function measureRun(steps: readonly Step[]): number {
  let length = 0;
  for (const { characters, least, most } of steps) {
    if (!isOfWords(buildBitmap(characters))) return length;
    length += least;
    if (least < most) return length;
  }
  return length;
}

/** Whether a class has only letters, digits, _ and -. */
function isOfWords(bitmap: Uint8Array): boolean {
  const words = buildBitmap('[\\w-]');
  return bitmap.every((bits, at) => (bits & ~(words[at] ?? 0)) === 0);
}

/** A class as a bit for each byte. No class contains a newline, which ends a line of a session. */
export const buildBitmap = memoize((characters: string): Uint8Array => {
  const bitmap = new Uint8Array(BYTES / 8);
  const isIn = new RegExp(characters, 'u');
  for (let byte = 0; byte < ASCII_BYTES; byte += 1) {
    if (byte === NEWLINE || !isIn.test(String.fromCharCode(byte))) continue;
    const at = Math.floor(byte / 8);
    bitmap[at] = (bitmap[at] ?? 0) | (1 << (byte % 8));
  }
  // Other bytes are parts of characters, which are in every negated class.
  if (isIn.test('\u{10fffd}')) bitmap.fill(0xff, ASCII_BYTES / 8);
  return bitmap;
});

const BYTES = 256;
const ASCII_BYTES = 128;
const NEWLINE = 0x0a;
