import { describe, expect, it } from 'vitest';
import { countMissedTokens, countUnreadTokens, toEarlierPrompt } from '#analysis/cache/earlier-prompt.js';
import { countExpectedRead, countHiddenTokens } from '#analysis/cache/expected-read.js';
import { type PromptUsage, readPromptUsage } from '#analysis/cache/recorded-answer.js';

const KNOWN = { before: { tokens: 4000 }, divergence: null, recorded: { prompt: 6000 }, hidden: 0, most: Infinity };
const EXACT = { block: 1, minimum: 1024, retention: 5 };

function billed(input: number, cacheRead: number, cacheWrite: number): PromptUsage {
  const prompt = input + cacheRead + cacheWrite;
  return { input, cacheRead, cacheWrite, promptTokens: prompt, paidRate: null, readRate: null };
}

describe('what a cache could give', () => {
  it.each<readonly [what: string, known: Partial<Parameters<typeof countExpectedRead>[0]>, tokens: number]>([
    ['all that was recorded of what stays', {}, 6000],
    ['also where a part of it is hidden', { hidden: 2000 }, 6000],
    ['the estimated share of what parts', { divergence: { prefixTokensEstimated: 1000 } }, 1500],
    [
      'all that is hidden, and the share of the rest',
      { divergence: { prefixTokensEstimated: 1000 }, hidden: 2000 },
      3000,
    ],
    ['no more than there was', { divergence: { prefixTokensEstimated: 1000 }, hidden: 9000 }, 6000],
    ['nothing where nothing is the same', { divergence: { prefixTokensEstimated: 0 } }, 0],
    [
      'all where there was nothing to estimate',
      { divergence: { prefixTokensEstimated: 0 }, before: { tokens: 0 } },
      6000,
    ],
    ['no more than was asked for', { most: 5000 }, 5000],
    ['whole tokens', { divergence: { prefixTokensEstimated: 1001 } }, 1501],
  ])('is %s', (_what, known, tokens) => {
    expect(countExpectedRead({ ...KNOWN, ...known }, EXACT)).toBe(tokens);
  });

  it('is whole blocks, and nothing that is shorter than a provider caches', () => {
    const read = (prompt: number, options: object): number =>
      countExpectedRead({ ...KNOWN, recorded: { prompt } }, { ...EXACT, ...options });
    expect([1023, 1024].map((prompt) => read(prompt, {}))).toEqual([0, 1024]);
    expect([1279, 1280, 1300].map((prompt) => read(prompt, { block: 128 }))).toEqual([1152, 1280, 1280]);
    expect([1000, 1279, 1280].map((prompt) => read(prompt, { block: 256, minimum: 1280 }))).toEqual([0, 0, 1280]);
  });

  it('takes what the session does not record from the first request, if it records neither tools nor prompt', () => {
    const usage = billed(5000, 0, 0);
    expect(countHiddenTokens({ preamble: { tokens: 0 }, tokens: 1000 }, usage)).toBe(4000);
    expect(countHiddenTokens({ preamble: { tokens: 1 }, tokens: 1000 }, usage)).toBe(0);
    expect(countHiddenTokens({ preamble: { tokens: 0 }, tokens: 6000 }, usage)).toBe(0);
  });
});

describe('what a provider reported', () => {
  const whole = { input: 10, cacheRead: 30, cacheWrite: 60 };
  it.each<readonly [what: string, usage: Parameters<typeof readPromptUsage>[0], found: Partial<PromptUsage> | null]>([
    ['nothing', null, null],
    ['no numbers', {}, null],
    ['zeros', { input: 0, cacheRead: 0, cacheWrite: 0 }, null],
    ['less than nothing', { input: -5, cacheRead: 4 }, { input: 0, cacheRead: 4, promptTokens: 4 }],
    ['an answer alone', { input: 0, output: 500 }, null],
    ['no prices', whole, { ...whole, promptTokens: 100, paidRate: null, readRate: null }],
    ['what is no count', { input: '10', cacheRead: 30 }, { input: 0, cacheRead: 30, cacheWrite: 0, promptTokens: 30 }],
    [
      'prices, put together by what is paid in full',
      { ...whole, cost: { input: 100, cacheRead: 60, cacheWrite: 600 } },
      { ...whole, promptTokens: 100, paidRate: 10, readRate: 2 },
    ],
    ['a price that is missing', { ...whole, cost: { input: 100, cacheRead: 60 } }, { paidRate: null, readRate: 2 }],
    ['the other one', { ...whole, cost: { input: 100, cacheWrite: 5 } }, { paidRate: 1.5, readRate: null }],
    [
      'prices of what was not asked for',
      { input: 1, cacheRead: 0, cacheWrite: 0, cost: { input: 7, cacheRead: 0, cacheWrite: 0 } },
      { promptTokens: 1, paidRate: 7, readRate: null },
    ],
    [
      'no tokens that were paid in full',
      { cacheRead: 3, cost: { input: 0, cacheRead: 6, cacheWrite: 0 } },
      { promptTokens: 3, paidRate: null, readRate: 2 },
    ],
  ])('is %s', (_what, usage, found) => {
    if (found === null) expect(readPromptUsage(usage)).toBeNull();
    else expect(readPromptUsage(usage)).toMatchObject(found);
  });

  it('is a miss by more than noise, where a cache is known to be used', () => {
    const before = { prompt: 5000, reportedCache: true };
    const misses = (read: number, of = before): number | null => countMissedTokens(of, billed(9000 - read, read, 0));
    expect([misses(5000), misses(3976), misses(3975), misses(0)]).toEqual([null, null, 1025, 5000]);
    expect(countMissedTokens(null, billed(0, 0, 9000))).toBeNull();
    const never = { prompt: 5000, reportedCache: false };
    expect(countMissedTokens(never, billed(9000, 0, 0))).toBeNull();
    expect(countMissedTokens(never, billed(0, 0, 9000))).toBe(5000);
    expect(countMissedTokens(never, billed(8000, 1000, 0))).toBe(4000);
    expect(countMissedTokens(never, billed(7000, 1000, 1000))).toBe(4000);
  });

  it('leaves unread what was sent before and is not read, but never less than nothing', () => {
    const before = { prompt: 5000, reportedCache: true };
    const usages = [billed(9000, 0, 0), billed(0, 4990, 10), billed(0, 6000, 0), billed(0, 0, 300)];
    expect(usages.map((usage) => countUnreadTokens(before, usage))).toEqual([5000, 10, 0, 300]);
  });

  it('is remembered for the next request: how much it was, and whether a cache was ever used', () => {
    const none = billed(700, 0, 0);
    expect(toEarlierPrompt(none, null)).toEqual({ prompt: 700, reportedCache: false });
    expect(toEarlierPrompt(none, { prompt: 1, reportedCache: true })).toMatchObject({ reportedCache: true });
    expect(toEarlierPrompt(billed(0, 5, 0), null)).toEqual({ prompt: 5, reportedCache: true });
    expect(toEarlierPrompt(billed(0, 0, 5), { prompt: 1, reportedCache: false })).toMatchObject({
      reportedCache: true,
    });
  });
});
