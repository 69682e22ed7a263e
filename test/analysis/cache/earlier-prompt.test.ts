import { expect, test } from 'vitest';
import { isCacheBehind, isMostlyRead } from '#analysis/cache/earlier-prompt.js';
import { readPromptUsage } from '#analysis/cache/recorded-answer.js';

const codex = { provider: 'openai', api: 'openai-responses', model: 'gpt-5.2-codex' };
const before = { prompt: 90_000, reportedCache: true };

test.each([
  [codex, 85_904, true],
  [codex, 85_903, false],
  [{ ...codex, provider: 'azure' }, 88_000, true],
  [{ provider: 'anthropic', api: 'anthropic-messages', model: 'claude' }, 88_000, false],
  [{ provider: null, api: null, model: null }, 88_000, false],
])('%j reads %i of 90,000 tokens: behind is %s', (target, cacheRead, isTolerated) => {
  expect(isCacheBehind(target, before, readPromptUsage({ input: 91_000 - cacheRead, cacheRead })!)).toBe(isTolerated);
});

test.each([
  [10_000, 0, 5001, true],
  [10_000, 0, 5000, false],
  [7000, 0, 3501, true],
  [10_000, 8000, 9001, true],
  [10_000, 8000, 9000, false],
])('%i tokens with %i shared ones, %i read: most of the messages %s', (prompt, shared, read, isMost) => {
  expect(isMostlyRead({ prompt: 10_000 }, readPromptUsage({ input: prompt - read, cacheRead: read })!, shared)).toBe(
    isMost,
  );
});
