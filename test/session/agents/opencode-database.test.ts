import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { loadSqlite, type Sqlite } from '#platform/sqlite/sqlite.js';
import { opencodeStore } from '#session/agents/opencode/database.js';
import type { StoreQuery } from '#session/agents/store.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

const read = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures/agents/opencode', name), 'utf8');

/** Recorded by opencode 1.18.34: a walk, its fork, and a question to a subagent. */
const WALK = 'ses_dda954039ffeHKZeNYDvdqo92V';
const FORK = 'ses_dda94ee90ffebegunh3ZMUoG05';
const ASKED = 'ses_dda94e847ffefI9P1oEoxwJfcK';

function build(...changes: readonly string[]): { readonly database: Sqlite; readonly query: StoreQuery } {
  const database = loadSqlite()(':memory:');
  for (const sql of [read('database.sql'), ...changes]) database.exec(sql);
  return { database, query: (sql, ...values) => database.prepare(sql).all(...values) };
}

function document(id: string, ...changes: readonly string[]): string {
  const { database, query } = build(...changes);
  const text = [...opencodeStore.readDocument(query, id)].join('');
  database.close();
  return text;
}

/** Role and first text of each message of the context. */
function textsOf(session: OpenSession): readonly string[] {
  return buildEnvelope(session, session.tree.leaf).messages.cached.map(({ role, content }) => {
    const [block] = content as { readonly text?: string; readonly name?: string }[];
    return `${role}: ${(block?.text ?? block?.name ?? '').split('\n')[0]}`;
  });
}

describe('a session in the database of opencode', () => {
  it('is read like the export that opencode makes of it', async () => {
    const [ours, theirs] = await Promise.all([opened(document(WALK)), opened(read('database-export.json'))]);
    const contents = (session: OpenSession) => [...session.tree.heads].map((head) => session.entry(head));
    expect(contents(ours)).toEqual(contents(theirs));
    expect(ours.tree.leaf?.id).toBe(theirs.tree.leaf?.id);
    expect(ours.header.id).toBe(theirs.header.id);
    expect(ours.header.cwd).toBe(theirs.header.cwd);
  });

  it('has the messages that opencode sent: after a compaction, and before the message that was taken back', async () => {
    expect(textsOf(await opened(document(WALK)))).toEqual([
      'user: What did we do so far?',
      'assistant: The answer number 5.',
      'user: And at night, in one word?',
      'assistant: The answer number 6.',
    ]);
  });

  it('is a fork with the messages before it', async () => {
    expect(textsOf(await opened(document(FORK)))).toEqual([
      'user: What did we do so far?',
      'assistant: The answer number 5.',
      'user: And at night, in one word?',
      'user: Thanks.',
      'assistant: The answer number 8.',
    ]);
  });

  it('names the session that asked it', async () => {
    const { query, database } = build();
    const ids = opencodeStore.list(query).map(({ id }) => id);
    const headers = await Promise.all(ids.map(async (id) => (await opened(document(id))).header));
    database.close();
    expect(headers.flatMap(({ fields }) => fields['parentSession'] ?? [])).toEqual([ASKED]);
  });

  it('keeps the rest where a record is no JSON, and says so', async () => {
    const { problems, ...session } = await opened(
      document(WALK, "UPDATE part SET data = '{broken' WHERE data LIKE '%answer number 6%'"),
    );
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['damaged-record', '1 record of the database left out: not JSON'],
    ]);
    expect(textsOf({ problems, ...session })).toContain('user: And at night, in one word?');
  });

  it('is none where the tables are others, or there is no such id', () => {
    expect(document('ses_none')).toBe('');
    const { query, database } = build('DROP TABLE part');
    expect([opencodeStore.list(query), [...opencodeStore.readDocument(query, WALK)]]).toEqual([[], []]);
    database.close();
  });

  it('is listed with its size and the time of its last change', () => {
    const { query, database } = build();
    const sizes = Object.fromEntries(opencodeStore.list(query).map(({ id, ...rest }) => [id, rest]));
    database.close();
    expect(Object.keys(sizes)).toHaveLength(4);
    expect(sizes[ASKED]?.modified).toBe(1795924108397);
    expect(sizes[ASKED]?.size).toBeGreaterThan(2000);
  });
});
