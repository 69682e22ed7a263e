import type { Tokenizer } from './define.js';
import { inShortRuns } from './short-runs.js';

export default {
  name: 'cl100k',
  summary: 'the vocabulary of GPT-3.5 and GPT-4',
  isCalibrated: false,
  async load() {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
    return { name: 'cl100k', count: inShortRuns((text) => countTokens(text, ANY_TEXT)) };
  },
} satisfies Tokenizer;

/** Text that looks like a special token is normal text in a session; the library would reject it. */
const ANY_TEXT = { disallowedSpecial: new Set<string>() };
