import { describe, expect, it } from 'vitest';
import { summaries } from '#change/prune/strategies/summaries.js';
import { compaction, entry, user } from '../../../support/entries.js';
import { historyFrom, proposed, prunedBy } from '../../../support/history.js';

const SUMMARISED = [
  user('u1', null),
  user('u2', 'u1'),
  compaction('k1', 'u2', 'u2'),
  answer('a2', 'k1'),
  entry('branch_summary', 's1', 'a2', { summary: 'Another way was tried.', fromId: 'x' }),
  answer('a3', 's1'),
  user('u4', 'a3'),
];

function answer(id: string, parent: string): ReturnType<typeof entry> {
  return entry('message', id, parent, { message: { role: 'assistant', content: [{ type: 'text', text: id }] } });
}

describe('summaries', () => {
  it('go, each by itself', () => {
    const history = historyFrom(SUMMARISED);
    expect(history.items.map(({ kind }) => kind)).toEqual([
      'compaction-summary',
      'user',
      'assistant',
      'branch-summary',
      'assistant',
      'user',
    ]);
    expect(proposed(summaries, history)).toEqual([
      { changes: [{ at: 0, message: null }], reason: 'summary of a compaction; the packet states its facts' },
      { changes: [{ at: 3, message: null }], reason: 'summary of a branch; the packet states its facts' },
    ]);
    const { history: after, refusals } = prunedBy(history, [summaries]);
    expect(after.items.map(({ from }) => from.entryId)).toEqual(['u2', 'a2', 'a3', 'u4']);
    expect(refusals).toEqual([]);
  });

  it('stay in the newest turn', () => {
    const history = historyFrom([
      user('u1', null),
      answer('a1', 'u1'),
      entry('branch_summary', 's1', 'a1', { summary: 'Another way was tried.', fromId: 'x' }),
      user('u2', 's1'),
    ]);
    expect(history.items.map(({ kind }) => kind)).toContain('branch-summary');
    expect(proposed(summaries, history)).toEqual([]);
  });
});
