import { describe, expect, it } from 'vitest';
import { buildImportLines } from '#change/migrate/import-session.js';
import { StockEntryBuilder } from '#change/migrate/stock-entries.js';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import {
  assistant,
  calling,
  compaction,
  type Entry,
  entry,
  label,
  opened,
  sessionOf,
  toolResult,
  user,
} from '../../support/entries.js';

it('a session that went back to before its first entry is imported with a leaf that shows nothing', async () => {
  const meta = { type: 'session_meta', payload: { id: 'one', cwd: '/home/ada/app' } };
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
  const rows = [
    meta,
    { type: 'response_item', payload: item },
    { type: 'event_msg', payload: { type: 'user_message', message: 'Hi' } },
    { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
  ];
  const text = rows.map((row) => `${JSON.stringify({ timestamp: '2026-03-02T09:00:00.000Z', ...row })}\n`).join('');
  const session = await opened(text);
  expect([session.tree.heads.length > 0, session.tree.leaf]).toEqual([true, null]);
  const imported = await openSession(Buffer.concat([...buildImportLines(session)]));
  expect(envelopeAt(imported).messages.cached).toEqual([]);
  expect(imported.tree.heads.length).toBe(session.tree.heads.length + 1);
});

/** The id and the parent of each entry of an import, and the numbers of results that were moved and left. */
function importOf(...entries: readonly Entry[]): unknown {
  const session = sessionOf(...entries);
  const stock = new StockEntryBuilder(session);
  const [, ...written] = Buffer.concat([...buildImportLines(session, stock)])
    .toString()
    .trim()
    .split('\n');
  const chain = written.map((line) => {
    const { id, parentId } = JSON.parse(line) as Entry;
    return `${String(parentId)} ${String(id)}`;
  });
  return [chain.join(', '), stock.results.moved, stock.results.left];
}

describe('a result after a message that follows its call', () => {
  const begun = [user('u', null), calling('a', 'u', ['c1', 'c2']), toolResult('r1', 'a', 'c1'), user('d', 'r1')];
  const late = toolResult('r2', 'd', 'c2');

  it('is written before the message', () => {
    expect(importOf(...begun, late, assistant('b', 'r2'), user('v', 'b'))).toEqual([
      'null u, u a, a r1, r1 r2, r2 d, d b, b v',
      1,
      0,
    ]);
  });

  it('is written before it where the session ends, and the message becomes the leaf', () => {
    expect(importOf(...begun, late)).toEqual(['null u, u a, a r1, r1 r2, r2 d', 1, 0]);
  });

  it('goes along with its branches', () => {
    const branches = [assistant('b', 'r2'), user('v', 'b'), assistant('b2', 'r2')];
    expect(importOf(...begun, late, ...branches)).toEqual(['null u, u a, a r1, r1 r2, r2 d, d b, b v, d b2', 1, 0]);
  });

  it('stays where another branch begins at the message, or a compaction keeps from there', () => {
    const asIs = 'null u, u a, a r1, r1 d, d r2, ';
    expect(importOf(...begun, late, assistant('b', 'd'))).toEqual([`${asIs}d b`, 0, 1]);
    expect(importOf(...begun, late, compaction('k', 'r2', 'd'))).toEqual([`${asIs}r2 k`, 0, 1]);
  });

  it('stays after an answer, and after an entry other than a message nothing moves', () => {
    const [question, call] = begun;
    if (!question || !call) return;
    const answered = [question, call, user('d', 'a'), assistant('b', 'd'), toolResult('r', 'b', 'c1')];
    expect(importOf(...answered)).toEqual(['null u, u a, a d, d b, b r', 0, 0]);
    const between = [question, call, label('l', 'a', 'u', 'here'), toolResult('r', 'l', 'c1')];
    expect(importOf(...between)).toEqual(['null u, u a, a l, l r', 0, 0]);
  });

  it('is the first of a replaced history too', () => {
    const messages = [calling('', '', ['c1']), user('', ''), toolResult('', '', 'c1')].map(({ message }) => message);
    const patch = [{ op: 'messages_cached_replace', messages }];
    const replaced = entry('context_transform', 't', 'u', { schemaVersion: 1, transformerName: 'compaction', patch });
    const lines = Buffer.concat([...buildImportLines(sessionOf(user('u', null), replaced))])
      .toString()
      .trim()
      .split('\n');
    const roles = lines.flatMap((line) => (JSON.parse(line) as { message?: { role: string } }).message?.role ?? []);
    expect(roles).toEqual(['user', 'assistant', 'toolResult', 'user']);
  });
});
