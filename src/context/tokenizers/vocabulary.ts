import { sumBy } from '#base/lists.js';
import { memoizeTexts } from '#base/memoize.js';
import type { CountTokens, TokenMethod } from '../size/tokens.js';
import { splitLongRuns } from './long-runs.js';

interface Vocabulary {
  countTokens(text: string, options: typeof ANY_TEXT): number;
}

/** A text is often counted twice in a row: by itself, and as a part of the context. */
export async function buildVocabularyMethod(
  name: 'o200k' | 'cl100k',
  loading: Promise<Vocabulary>,
): Promise<TokenMethod> {
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
