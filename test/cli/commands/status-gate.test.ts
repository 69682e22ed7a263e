import { describe, expect, it } from 'vitest';
import { GateTally } from '#change/prune/gate/gate-tally.js';
import { renderGateSummary } from '#cli/commands/status/history.js';

describe('what a gate comes to', () => {
  it('is reported for any number of compactions', () => {
    const tokens = { total: 100, recorded: 100, estimated: 0, factor: 1, error: null, method: 'recorded' } as const;
    const asked = { request: 'compact', entryId: 'a1', turn: 1, tokens } as const;
    const relief = { schema: 'ctx/gate-relief', schemaVersion: 1, entryId: 'k1', line: 2, by: 'compact' } as const;
    const tally = new GateTally();
    // More than a call has arguments.
    for (let nth = 0; nth < 150_000; nth += 1)
      tally.add({ ...relief, tokensBefore: 107 + nth, asked, tokensEarlier: 7 + nth, turnEndsEarlier: 1 });
    const doc = renderGateSummary(tally, 'turn');
    expect(JSON.stringify([...doc])).toContain('compacted 150,000 times, 7 to 150,006 tokens after');
  });
});
