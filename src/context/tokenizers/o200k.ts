import type { Tokenizer } from './define.js';
import { inShortRuns } from './short-runs.js';

export default {
  name: 'o200k',
  summary: 'the vocabulary of GPT-4o, GPT-5 and the o models',
  isCalibrated: false,
  async load() {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    return { name: 'o200k', count: inShortRuns((text) => countTokens(text, ANY_TEXT)) };
  },
} satisfies Tokenizer;

/** Text that looks like a special token is normal text in a session; the library would reject it. */
const ANY_TEXT = { disallowedSpecial: new Set<string>() };
