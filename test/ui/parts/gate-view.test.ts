import { describe, expect, it } from 'vitest';
import { GateTally } from '#change/prune/gate/lines.js';
import { gateSummaryDoc } from '#cli/commands/gate/view.js';
import { entry, sessionOf } from '../../support/entries.js';

describe('what a gate comes to', () => {
  it('is said of however many compactions', () => {
    const { leaf } = sessionOf(JSON.stringify(entry('compaction', 'k1', null))).tree;
    if (!leaf) throw new Error('no entry');
    const size = { tokens: 100, recorded: 100, estimated: 0, factor: 1, error: null, method: 'recorded' } as const;
    const end = { turn: 1, head: leaf, ...size };
    const relief = { head: leaf, by: 'compact' } as const;
    const asked = { request: 'compact', end, number: 1 } as const;
    const tally = new GateTally();
    for (let nth = 0; nth < 300_000; nth += 1)
      tally.add({ kind: 'relief', relief, tokensBefore: 107 + nth, asked, turnEndsSince: 1 });
    const doc = gateSummaryDoc(tally, 'turn');
    expect(JSON.stringify([...doc])).toContain('compacted 300,000 times, 7 to 300,006 tokens after');
  });
});
