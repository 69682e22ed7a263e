import type { Tokenizer } from './define.js';

/** All tokenizers, each loaded on demand. */
const shelf = {
  chars: () => import('./chars.js'),
  o200k: () => import('./o200k.js'),
  cl100k: () => import('./cl100k.js'),
  claude: () => import('./claude.js'),
} satisfies Readonly<Record<string, () => Promise<{ readonly default: Tokenizer }>>>;

export type TokenizerName = keyof typeof shelf;

export const TOKENIZER_NAMES = Object.keys(shelf) as readonly TokenizerName[];

/** The description of the tokenizers for a flag. */
export const TOKENIZER_HELP =
  "tokenizer for estimates: chars is Pi's four characters per token (the default), o200k and cl100k are OpenAI's, " +
  "claude is o200k times a factor measured on the session's own requests";

export async function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  return (await shelf[name]()).default;
}
