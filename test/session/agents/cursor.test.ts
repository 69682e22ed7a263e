import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { loadSqlite } from '#platform/sqlite/sqlite.js';
import { cursorStore } from '#session/agents/cursor/database.js';
import type { StoreQuery } from '#session/agents/store.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

const read = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures/agents/cursor', name), 'utf8');
const ID = '9c1f6b20-7a31-4c7e-9f51-3f0a2b1c4d5e';

function textsOf(session: OpenSession): readonly string[] {
  return buildEnvelope(session, session.tree.leaf).messages.cached.map(({ role, content }) => {
    const blocks = content as { text?: string; thinking?: string; name?: string }[];
    return `${role}: ${blocks.map((block) => block.text ?? block.thinking ?? block.name).join(' | ')}`;
  });
}

function withDatabase<Result>(work: (query: StoreQuery) => Result, ...changes: readonly string[]): Result {
  const database = loadSqlite()(':memory:');
  for (const sql of [read('state.sql'), ...changes]) database.exec(sql);
  try {
    return work((sql, ...values) => database.prepare(sql).all(...values));
  } finally {
    database.close();
  }
}

const document = (id: string, ...changes: readonly string[]): string =>
  withDatabase((query) => [...cursorStore.readDocument(query, id)].join(''), ...changes);

describe('a transcript of Cursor', () => {
  it('has the words and calls, without results, times and tokens', async () => {
    const session = await opened(read('transcript.jsonl'));
    expect(textsOf(session)).toEqual([
      'user: <user_query>\nWhere is the harbour?\n</user_query>',
      'assistant: I will look. | Read',
      'assistant: In the north.',
      'user: <user_query>\nAnd at night?\n</user_query>',
      'assistant: There too.',
    ]);
    expect(session.agent).toMatchObject({ name: 'cursor', unusedLines: 2 });
    expect(session.agent?.parts).toMatchObject({ messages: 'approximate', compactions: 'missing', usage: 'missing' });
    expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
  });

  it.each([
    ['Sunday, Sep 20, 2026, 12:31 AM (UTC+3)', '2026-09-19T21:31:00.000Z'],
    ['Friday, Jan 2, 2026, 1:05 PM (UTC-3:30)', '2026-01-02T16:35:00.000Z'],
    ['Friday, Jan 2, 2026, 1:05 PM (UTC)', '2026-01-02T13:05:00.000Z'],
    ['yesterday', null],
  ])('has the time of a prompt that begins with it: %s', async (time, expected) => {
    const text = `<timestamp>${time}</timestamp>\n<user_query>\nWhere?\n</user_query>`;
    const session = await opened(
      `${JSON.stringify({ role: 'user', message: { content: [{ type: 'text', text }] } })}\n`,
    );
    const found = session.tree.leaf?.time ?? Number.NaN;
    expect(Number.isNaN(found) ? null : new Date(found).toISOString()).toBe(expected);
    expect(textsOf(session)).toEqual([`user: ${text}`]);
  });

  it('has the results, times and models of versions that record them', async () => {
    const line = (role: string, content: unknown): string =>
      `${JSON.stringify({ timestamp: '2026-02-16T12:00:10.000Z', role, model: 'gpt-5.5', message: { content } })}\n`;
    const session = await opened(
      line('user', 'Where?') +
        line('assistant', [{ type: 'tool_use', id: 't1', name: 'Read', input: { path: 'map.txt' } }]) +
        line('tool', [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'north' }] }]) +
        line('assistant', [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'In the north.' },
        ]),
    );
    expect(textsOf(session)).toEqual([
      'user: Where?',
      'assistant: Read',
      'toolResult: north',
      'assistant: Hm. | In the north.',
    ]);
    expect(session.tree.leaf?.time).toBe(Date.parse('2026-02-16T12:00:10.000Z'));
  });

  it.each([null, 1, 'text', [], {}, [null, {}]])('with any value instead of a field is read: %j', async (value) => {
    const first = '{"role":"user","message":{"content":"Hi"}}\n';
    for (const change of [{ message: value }, { role: value }, { message: { content: value } }, { model: value }]) {
      const line = { role: 'assistant', message: { content: [{ type: 'tool_use', input: value }] }, ...change };
      const session = await opened(`${first}${JSON.stringify(line)}\n`);
      for (const head of session.tree.heads) session.entry(head);
    }
  });
});

describe('a conversation in the database of Cursor', () => {
  it('has one answer up to each result', async () => {
    const session = await opened(document(ID));
    expect(textsOf(session)).toEqual([
      'user: Where is the harbour?',
      'assistant: It is on the map. | I will look. | read_file_v2',
      'toolResult: {"contents":"harbour: north"}',
      'assistant: In the north.',
      'user: And at night?',
      'assistant: There too.',
    ]);
    expect(session.header).toMatchObject({ id: ID, cwd: '/home/ada/app' });
    expect(session.tree.leaf?.time).toBe(1_784_100_009_000);
  });

  it('is listed with its time and size, and a draft or an empty row is not', () => {
    const listed = withDatabase((query) => cursorStore.list(query));
    expect(listed).toEqual([{ id: ID, modified: 1_784_100_009_000, size: expect.any(Number) as number }]);
    expect(listed[0]?.size).toBeGreaterThanOrEqual(document(ID).length);
  });

  it('has each message once, and no time that is no number', async () => {
    const repeated = `UPDATE cursorDiskKV SET value = json_set(value, '$.lastUpdatedAt', 'soon',
      '$.fullConversationHeadersOnly', json('[${Array.from({ length: 50 }, () => '{"bubbleId":"b4"}').join(',')}]'))
      WHERE key = 'composerData:${ID}'`;
    expect(textsOf(await opened(document(ID, repeated)))).toEqual(['assistant: In the north.']);
    expect(withDatabase((query) => cursorStore.list(query), repeated)).toMatchObject([{ modified: 0 }]);
  });

  it('without a message says so', async () => {
    const { problems } = await opened(document(ID));
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['missing-messages', '1 message of this conversation not in the database'],
    ]);
  });

  it.each([
    `UPDATE cursorDiskKV SET value = '{broken' WHERE key LIKE 'bubbleId:%:b4'`,
    `UPDATE cursorDiskKV SET value = '[1]' WHERE key LIKE 'bubbleId:%:b4'`,
    `UPDATE cursorDiskKV SET value = CAST(value AS BLOB)`,
    `UPDATE cursorDiskKV SET value = NULL WHERE key LIKE 'bubbleId:%'`,
  ])('with damaged rows keeps the rest: %s', async (change) => {
    const session = await opened(document(ID, change));
    expect(session.header.id).toBe(ID);
    for (const head of session.tree.heads) session.entry(head);
  });

  it('is none in another database, or of another id', () => {
    expect(document('none')).toBe('');
    expect(withDatabase((query) => cursorStore.list(query), 'DROP TABLE cursorDiskKV')).toEqual([]);
    expect(document(ID, `UPDATE cursorDiskKV SET value = '{' WHERE key LIKE 'composerData:%'`)).toBe('');
  });
});
