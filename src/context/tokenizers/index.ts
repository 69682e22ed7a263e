import type { TokenMethod } from '../replay/tokens.js';

/** A tokenizer. */
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
  load: async () => (await import('../replay/tokens.js')).BY_CHARACTERS,
};

const o200k: Tokenizer = {
  name: 'o200k',
  summary: 'the vocabulary of GPT-4o, GPT-5 and the o models',
  isCalibrated: false,
  load: async () => byVocabulary('o200k', await import('gpt-tokenizer/encoding/o200k_base')),
};

const cl100k: Tokenizer = {
  name: 'cl100k',
  summary: 'the vocabulary of GPT-3.5 and GPT-4',
  isCalibrated: false,
  load: async () => byVocabulary('cl100k', await import('gpt-tokenizer/encoding/cl100k_base')),
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

export function tokenizerOf(name: TokenizerName): Tokenizer {
  return shelf[name];
}

interface Vocabulary {
  countTokens(text: string, options: typeof ANY_TEXT): number;
}

async function byVocabulary(name: string, { countTokens }: Vocabulary): Promise<TokenMethod> {
  const { inShortRuns } = await import('./short-runs.js');
  return { name, count: inShortRuns((text) => countTokens(text, ANY_TEXT)) };
}

/** Text that looks like a special token is normal text in a session; the library would reject it. */
const ANY_TEXT = { disallowedSpecial: new Set<string>() };
