import type { Tokenizer } from './define.js';

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
  load: async () =>
    (await import('./vocabulary.js')).buildVocabularyMethod('o200k', import('gpt-tokenizer/encoding/o200k_base')),
};

const cl100k: Tokenizer = {
  name: 'cl100k',
  summary: 'the vocabulary of GPT-3.5 and GPT-4',
  isCalibrated: false,
  load: async () =>
    (await import('./vocabulary.js')).buildVocabularyMethod('cl100k', import('gpt-tokenizer/encoding/cl100k_base')),
};

const claude: Tokenizer = {
  name: 'claude',
  summary: "o200k times a factor measured on the session's own Claude requests",
  isCalibrated: true,
  load: o200k.load,
};

/** All tokenizers. Their names are part of the help, so nothing that counts is loaded with this list. */
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
