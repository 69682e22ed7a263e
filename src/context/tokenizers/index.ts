import { sumBy } from '#base/lists.js';
import { memoizeTexts } from '#base/memoize.js';
import { isInsideSurrogatePair } from '#base/text.js';
import type { CountTokens, TokenMethod } from '../size/tokens.js';

export interface Tokenizer {
  readonly name: string;
  readonly summary: string;
  /** Whether its counts are multiplied by a factor from a session's own usage. */
  readonly isCalibrated: boolean;
  /** Loads its data, which may take a moment. */
  load(): Promise<TokenMethod>;
}

const chars: Tokenizer = {
  name: 'chars',
  summary: "Pi's own estimate: four characters per token",
  isCalibrated: false,
  load: async () => (await import('../size/tokens.js')).BY_CHARACTERS,
};

const o200k: Tokenizer = {
  name: 'o200k',
  summary: 'the vocabulary of GPT-4o, GPT-5 and the o models',
  isCalibrated: false,
  load: () => buildVocabularyMethod('o200k', import('gpt-tokenizer/encoding/o200k_base')),
};

const cl100k: Tokenizer = {
  name: 'cl100k',
  summary: 'the vocabulary of GPT-3.5 and GPT-4',
  isCalibrated: false,
  load: () => buildVocabularyMethod('cl100k', import('gpt-tokenizer/encoding/cl100k_base')),
};

const claude: Tokenizer = {
  name: 'claude',
  summary: "o200k times a factor measured on the session's own Claude requests",
  isCalibrated: true,
  load: o200k.load,
};

// Its names are part of the help: whatever counts is loaded on demand.
/** All tokenizers. */
const shelf = { chars, o200k, cl100k, claude };

export type TokenizerName = keyof typeof shelf;

export const TOKENIZER_NAMES = Object.keys(shelf) as readonly TokenizerName[];

/** The description of the tokenizers for a flag. */
export const TOKENIZER_HELP =
  "tokenizer for estimates: chars is Pi's four characters per token (the default), o200k and cl100k are OpenAI's, " +
  "claude is o200k times a factor measured on the session's own requests";

export function findTokenizer(name: TokenizerName): Tokenizer {
  return shelf[name];
}

interface Vocabulary {
  countTokens(text: string, options: typeof ANY_TEXT): number;
}

/** A text is often counted twice in a row: by itself, and as a part of the context. */
async function buildVocabularyMethod(name: 'o200k' | 'cl100k', loading: Promise<Vocabulary>): Promise<TokenMethod> {
  const { countTokens } = await loading;
  // The patterns by which the encoders split a text into words.
  const patterns = await import('gpt-tokenizer/encodingParams/constants');
  const words = name === 'o200k' ? patterns.O200K_TOKEN_SPLIT_REGEX : patterns.CL100K_TOKEN_SPLIT_REGEX;
  return { name, count: memoizeTexts(splitLongRuns(countEachWord(words, (text) => countTokens(text, ANY_TEXT)))) };
}

/** Counts each word of a text, since words recur. A pattern that is given one of its words finds only that word. */
function countEachWord(words: RegExp, count: CountTokens): CountTokens {
  const tokensByWord = new Map<string, number>();
  const countWord = (word: string): number => {
    const found = tokensByWord.get(word);
    if (found !== undefined) return found;
    const tokens = count(word);
    if (tokensByWord.size >= MOST_WORDS) tokensByWord.clear();
    if (word.length <= LONGEST_WORD) tokensByWord.set(word, tokens);
    return tokens;
  };
  // The list of the words of a text takes several times its size.
  return (text) => (text.length > LONGEST_TEXT ? count(text) : sumBy(text.match(words) ?? [], countWord));
}

/** V8 makes a longer word a part of its text, and would keep the text in memory. */
const LONGEST_WORD = 12;
const MOST_WORDS = 50_000;
const LONGEST_TEXT = 1 << 20;

/** Text that looks like a special token is normal text in a session; the library would reject it. */
const ANY_TEXT = { disallowedSpecial: new Set<string>() };

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
