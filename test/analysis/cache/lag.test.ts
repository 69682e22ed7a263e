import { expect, test } from 'vitest';
import { promptUsage } from '#analysis/cache/recorded.js';
import { isBehind } from '../../../src/analysis/cache/cause.js';

const codex = { provider: 'openai', api: 'openai-responses', model: 'gpt-5.2-codex' };
const before = { prompt: 90_000, cacheRead: 80_000, reportedCache: true };

test.each([
  [codex, 85_904, true],
  [codex, 85_903, false],
  [{ ...codex, provider: 'azure' }, 88_000, true],
  [{ provider: 'anthropic', api: 'anthropic-messages', model: 'claude' }, 88_000, false],
  [{ provider: null, api: null, model: null }, 88_000, false],
])('%j reads %i of 90,000 tokens: behind is %s', (target, cacheRead, isTolerated) => {
  expect(isBehind(target, before, promptUsage({ input: 91_000 - cacheRead, cacheRead })!)).toBe(isTolerated);
});

test('a request that reads less than the previous one has lost a prefix', () => {
  const full = { ...before, cacheRead: 88_064 };
  const read = (cacheRead: number): boolean =>
    isBehind(codex, full, promptUsage({ input: 91_000 - cacheRead, cacheRead })!);
  expect([88_064, 87_937, 87_936].map(read)).toEqual([true, true, false]);
});
