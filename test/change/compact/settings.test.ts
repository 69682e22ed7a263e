import { describe, expect, it } from 'vitest';
import { compactionSettings } from '#change/compact/settings.js';

const MODEL = 'anthropic/claude-sonnet-4-5';

describe("Pi's settings", () => {
  it('are its own defaults unless the files set them', () => {
    expect(compactionSettings([], null)).toEqual({ enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 });
  });

  it('of a project go before those of the user, field by field', () => {
    const user = { compaction: { enabled: false, reserveTokens: 1, keepRecentTokens: 2 } };
    const project = { compaction: { keepRecentTokens: 3 } };
    expect(compactionSettings([user, project], null)).toEqual({
      enabled: false,
      reserveTokens: 1,
      keepRecentTokens: 3,
    });
  });

  it('for a model go before all others, wherever they stand', () => {
    const user = { compaction: { modelOverrides: { [MODEL]: { keepRecentTokens: 7 } } } };
    const project = { compaction: { keepRecentTokens: 3, reserveTokens: 4 } };
    expect(compactionSettings([user, project], MODEL)).toMatchObject({ keepRecentTokens: 7, reserveTokens: 4 });
    expect(compactionSettings([user, project], 'anthropic/other')).toMatchObject({ keepRecentTokens: 3 });
  });

  it.each([
    ['compaction.keepRecentTokens', { keepRecentTokens: -1 }],
    ['compaction.keepRecentTokens', { keepRecentTokens: '20000' }],
    ['compaction.reserveTokens', { reserveTokens: 1.5, modelOverrides: { [MODEL]: { reserveTokens: 5 } } }],
    ['an object', { modelOverrides: { [MODEL]: 5 } }],
    [`.keepRecentTokens`, { modelOverrides: { [MODEL]: { keepRecentTokens: null } } }],
  ])('that Pi refuses are refused: %s', (what, compaction) => {
    expect(() => compactionSettings([{ compaction }], MODEL)).toThrow(what);
  });

  it('of other models may be anything', () => {
    expect(compactionSettings([{ compaction: { modelOverrides: { 'a/b': 5 } } }], MODEL).reserveTokens).toBe(16_384);
  });
});
