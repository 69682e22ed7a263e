import { isInsideSurrogatePair } from '#base/text.js';
import type { CountTokens } from '../size/tokens.js';

/**
 * The length of runs above which text is split, since byte pair encoders need quadratic time for a run without a break.
 */
const LONGEST_RUN = 512;

/**
 * Counts a text piece by piece if it has runs of letters, of marks or of blanks that are longer than any word. Each
 * cut may add a token; a text without such runs is counted at once. Digits are split by threes anyway.
 */
export function splitLongRuns(count: CountTokens): CountTokens {
  return (text) => {
    let sum = 0;
    for (const piece of splitPieces(text)) sum += count(piece);
    return sum;
  };
}

/** Matches the text that the encoders' own patterns may treat as one piece. */
const LONG_RUN = new RegExp(
  [String.raw`[\p{L}\p{M}]`, String.raw`\s`, String.raw`[^\s\p{L}\p{N}]`, String.raw`[\r\n/]`]
    .map((kind) => `${kind}{${LONGEST_RUN},}`)
    .join('|'),
  'gu',
);

function splitPieces(text: string): readonly string[] {
  if (!mayHaveLongRun(text)) return [text];
  const pieces: string[] = [];
  let start = 0;
  for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
    for (let end = index + LONGEST_RUN; end < index + run.length; end += LONGEST_RUN) {
      const cut = isInsideSurrogatePair(text, end) ? end + 1 : end;
      pieces.push(text.slice(start, cut));
      start = cut;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** The kinds of runs, as bits, that an ASCII character may be part of. Any other character may be part of all. */
const LETTER = 1;
const BLANK = 2;
const MARK = 4;
const BREAK = 8;
const ALL = LETTER | BLANK | MARK | BREAK;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => findKinds(String.fromCharCode(code)));

function findKinds(character: string): number {
  const isBreak = /[\r\n/]/.test(character) ? BREAK : 0;
  if (/[a-z]/i.test(character)) return LETTER;
  if (/\s/.test(character)) return BLANK | isBreak;
  return /\d/.test(character) ? 0 : MARK | isBreak;
}

/**
 * Whether the characters of half a run may all be of one kind. A whole run covers one of the halves, wherever it
 * begins.
 */
function mayHaveLongRun(text: string): boolean {
  const half = LONGEST_RUN / 2;
  for (let start = 0; start + half <= text.length; start += half) {
    let kinds = ALL;
    for (let at = start; kinds !== 0 && at < start + half; at += 1) kinds &= KINDS[text.charCodeAt(at)] ?? ALL;
    if (kinds !== 0) return true;
  }
  return false;
}
