import type { Tokenizer } from './define.js';

/** Every tokenizer there is. Each is loaded when it is asked for. */
const shelf = {
  chars: () => import('./chars.js'),
  o200k: () => import('./o200k.js'),
  cl100k: () => import('./cl100k.js'),
  claude: () => import('./claude.js'),
} satisfies Readonly<Record<string, () => Promise<{ readonly default: Tokenizer }>>>;

export type TokenizerName = keyof typeof shelf;

export const TOKENIZER_NAMES = Object.keys(shelf) as readonly TokenizerName[];

export async function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  return (await shelf[name]()).default;
}
