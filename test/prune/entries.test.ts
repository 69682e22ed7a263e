import { expect, it } from 'vitest';
import { pruneEntries } from '../../src/prune/entries.js';
import type { Decision, Pruned } from '../../src/prune/prune.js';
import { entry, sessionOf } from '../support/entries.js';
import { answered, asked, historyFrom, talk } from '../support/history.js';

const FRESH = { now: () => 0, newId: () => '00000001' };

/** A prune that leaves out the first message, so many times over. */
function dropping(times: number): Pruned {
  const history = historyFrom(talk(asked('u1', 'Old.'), answered('a1'), asked('u2', 'New.')));
  const decisions = history.items.slice(0, 1).flatMap((item): readonly Decision[] => {
    const tokens = { before: item.tokens, after: 0 };
    const one = { strategy: 'turns', item, message: null, tokens, reason: '', mentionedBy: null, spill: undefined };
    return Array.from({ length: times }, () => one);
  });
  return { history: { ...history, items: history.items.slice(1) }, decisions, refusals: [] };
}

it('leaves out as many messages as a session can have', () => {
  const session = sessionOf(JSON.stringify(entry('message', 'u1', null)));
  const about = { path: [], packet: 'The packet', form: 'context_transform' as const, summary: '', details: {} };
  const [transform] = pruneEntries(session, { ...about, pruned: dropping(300_000) }, FRESH);
  expect(JSON.stringify(transform?.['patch'])).toMatch(
    /"messages":\[\{"role":"user","content":\[\{"type":"text","text":"The packet"/,
  );
});
