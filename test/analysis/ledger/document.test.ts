import { expect, it } from 'vitest';
import { documentOf, isoTime } from '#analysis/ledger/document.js';
import { ledgerOf } from '#analysis/ledger/ledger.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { candidatesOf, sessionIn } from '../../support/ledgers.js';

const NONE = { facts: [], more: 0 };

it('the document says all of the ledger', () => {
  const summary =
    '## Goal\n- Be fast\n\n## Constraints\n- No libraries\n\n## Progress\n### Blocked\n- No network\n\n## Key Decisions\n- One file';
  const log = new Log('the-session')
    .user('u1', 'Fix it.')
    .assistant('a1', 'It prints UTC now.')
    .compaction('k1', summary, 'a1')
    .user('u2', 'Run the tests.');
  const session = sessionIn(log.text());
  const packet = { text: 'a packet', tokens: 2 };
  const found = documentOf(ledgerOf(candidatesOf(session)), { session, at: session.tree.leaf, packet });
  const at = (minute: number) => `2026-03-02T09:0${minute}:00.000Z`;
  const summarised = (text: string) => {
    return { text, outcome: null, time: at(3), source: { entryId: 'k1', line: 4, kind: 'compaction' } };
  };
  expect(found).toEqual({
    schema: 'ctx/ledger',
    schemaVersion: 1,
    session: { id: 'the-session', file: 'session.jsonl' },
    at: { entryId: 'u2', line: 5 },
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
    packet,
  });
  expect(schemas.ledger.parse(found)).toEqual(found);
});

it('says nothing of a session without entries', () => {
  const session = sessionIn(new Log('empty').text());
  const found = documentOf(ledgerOf([]), { session, at: null, packet: { text: '', tokens: 0 } });
  expect(found).toMatchObject({
    at: { entryId: null, line: null },
    goal: null,
    constraints: NONE,
    decisions: NONE,
    tasks: NONE,
    blockers: NONE,
    done: NONE,
  });
});

it('has no time where no entry says one', () => {
  expect([isoTime(0), isoTime(1)]).toEqual([null, '1970-01-01T00:00:00.001Z']);
});
