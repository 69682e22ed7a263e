import { expect, it } from 'vitest';
import { collectFacts } from '#analysis/facts/facts.js';
import { Log } from '../../fixtures/log.js';
import { sessionIn, statedFactsOf } from '../../support/facts.js';

const NONE = { facts: [], more: 0 };

it('a facts gives each fact with its outcome, time and source', () => {
  const summary =
    '## Goal\n- Be fast\n\n## Constraints\n- No libraries\n\n## Progress\n### Blocked\n- No network\n\n## Key Decisions\n- One file';
  const log = new Log('the-session')
    .user('u1', 'Fix it.')
    .assistant('a1', 'It prints UTC now.')
    .compaction('k1', summary, 'a1')
    .user('u2', 'Run the tests.');
  const session = sessionIn(log.text());
  const at = (minute: number) => `2026-03-02T09:0${minute}:00.000Z`;
  const summarised = (text: string) => {
    return { text, outcome: null, time: at(3), source: { entryId: 'k1', line: 4, kind: 'compaction' } };
  };
  expect(collectFacts(statedFactsOf(session))).toEqual({
    goal: summarised('Be fast'),
    constraints: { facts: [summarised('No libraries')], more: 0 },
    decisions: { facts: [summarised('One file')], more: 0 },
    tasks: {
      facts: [{ text: 'Run the tests.', outcome: null, time: at(4), source: { entryId: 'u2', line: 5, kind: 'user' } }],
      more: 0,
    },
    blockers: { facts: [summarised('No network')], more: 0 },
    done: {
      facts: [
        {
          text: 'Fix it.',
          outcome: 'It prints UTC now.',
          time: at(2),
          source: { entryId: 'a1', line: 3, kind: 'assistant' },
        },
      ],
      more: 0,
    },
  });
});

it('says nothing of a session without entries', () => {
  const [goal, ...listings] = Object.values(collectFacts([]));
  expect(goal).toBeNull();
  expect(listings).toEqual([NONE, NONE, NONE, NONE, NONE]);
});

it('has no time where no entry says one', () => {
  const [untimed] = statedFactsOf(sessionIn(new Log('s').user('u1', 'Fix it.').text())).map((said) => ({
    ...said,
    time: 0,
  }));
  expect(collectFacts([untimed!]).goal?.time).toBeNull();
  expect(collectFacts([{ ...untimed!, time: 1 }]).goal?.time).toBe('1970-01-01T00:00:00.001Z');
});
