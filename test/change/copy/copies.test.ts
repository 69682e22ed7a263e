import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import {
  draftCopyTo,
  draftCopyWithout,
  draftEditedCopy,
  findCopier,
  introduceSummary,
  readForCopy,
  type SessionToCopy,
} from '#change/copy/copy-draft.js';
import { buildCopy, buildUuid, findDifference } from '#change/copy/write-copy.js';
import { buildDraft } from '#change/plan/draft.js';
import { openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build.js';
import { nodeFiles } from '#platform/io.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { ClaudeCodeLog, call, generateClaudeCode, textBlock } from '../../support/claude-code.js';
import { generateRollout } from '../../support/codex-rollouts.js';
import { projectFolder } from '../../support/files.js';

const readFixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');

/** Ids that count up. */
function createIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return count.toString(16).padStart(8, '0');
  };
}

async function openToCopy(text: string): Promise<SessionToCopy> {
  const session = await openSession(Buffer.from(text), nodeFiles);
  const copier = findCopier(session);
  if (!copier) throw new Error('no copier');
  return readForCopy(session, copier);
}

/** Writes a copy, which throws unless what is read from it is what was planned. Returns its text. */
async function write(session: SessionToCopy, copy: Parameters<typeof buildCopy>[2]): Promise<string> {
  const newId = createIds();
  const stamps = { sessionId: SESSION_ID, timestamp: '2026-03-01T10:00:00.000Z', newId: () => buildUuid(newId) };
  return Buffer.from(await buildCopy(session, session.copier, copy, stamps)).toString();
}

const SESSION_ID = 'aaaaaaaa-0000-4000-8000-000000000000';

function edit(session: SessionToCopy, edits: readonly (readonly [head: Head, replacement: JsonObject | null])[]) {
  let parentId = formatId(session.tree.leaf?.id);
  const newId = createIds();
  const entries = edits.map(([{ id }, replacement]) => {
    const own = `e${newId().slice(1)}`;
    const entry = { type: 'context_edit', id: own, parentId, timestamp: TIME, targetId: formatId(id), replacement };
    parentId = own;
    return entry;
  });
  return draftEditedCopy(buildDraft(session, entries));
}

const TIME = '2026-03-01T10:00:00.000Z';

function compact(session: SessionToCopy, kept: Head | null) {
  const id = 'cccccccc';
  const firstKeptEntryId = kept ? formatId(kept.id) : id;
  const parentId = formatId(session.tree.leaf?.id);
  const entry = { type: 'compaction', id, parentId, timestamp: TIME, summary: 'It rained.', firstKeptEntryId };
  return draftEditedCopy(introduceSummary(buildDraft(session, [{ ...entry, tokensBefore: 100 }])));
}

const messagesOf = (session: SessionToCopy): readonly Head[] =>
  activePath(session.tree).filter(({ type }) => type === 'message');

/** The messages since the last compaction. */
function currentMessages(session: SessionToCopy): readonly Head[] {
  const path = activePath(session.tree);
  const start = path.findLastIndex(({ type }) => type === 'compaction' || type === 'context_transform') + 1;
  return path.slice(start).filter(({ type }) => type === 'message');
}

const SESSIONS: readonly (readonly [name: string, text: string])[] = [
  ['Claude Code', readFixture('agents/claude-code/session.jsonl')],
  ['Claude Code with recorded requests', readFixture('agents/claude-code/requests.jsonl')],
  ['Codex', readFixture('agents/codex/rollout.jsonl')],
  ['Codex 0.50', readFixture('agents/codex/version-0.50.jsonl')],
  ...Array.from({ length: 60 }, (_, seed) => [`Claude Code, generated ${seed}`, generateClaudeCode(seed)] as const),
  ...Array.from({ length: 60 }, (_, seed) => [`Codex, generated ${seed}`, generateRollout(seed)] as const),
];

describe.each(SESSIONS)('a copy of a session of %s', (_name, text) => {
  it('shows the same context', async () => {
    const session = await openToCopy(text);
    await write(session, draftCopyTo(session, null));
  });

  it('has the planned context after messages were dropped and changed', async () => {
    const session = await openToCopy(text);
    const edits = messagesOf(session).flatMap((head, at) => {
      if (head.role === 'user' && at % 5 === 3) return [[head, null] as const];
      return head.role === 'toolResult' && at % 2 === 0
        ? [[head, { content: [{ type: 'text', text: `[cut ${at}]` }] }] as const]
        : [];
    });
    await write(session, edit(session, edits));
  });

  it('has the planned context after a compaction', async () => {
    const session = await openToCopy(text);
    const users = currentMessages(session).filter(({ role }) => role === 'user');
    for (const kept of [null, users.at(-1) ?? null]) await write(session, compact(session, kept));
  });

  it('has the messages again that a compaction removed', async () => {
    const session = await openToCopy(text);
    const last = activePath(session.tree).findLast(({ type }) => type === 'compaction');
    if (!last) return;
    const before = buildEnvelope(session, session.tree.leaf).messages.cached.length;
    const copy = draftCopyWithout(session, new Set([last.index]));
    await write(session, copy);
    expect(copy.after.messages.cached.length).toBeGreaterThanOrEqual(before - 1);
  });
});

describe('a copy of a session of Claude Code', () => {
  function talk(): ClaudeCodeLog {
    const log = new ClaudeCodeLog();
    log.user('What is the weather?');
    log.answer('msg_1', call('t1'));
    log.result('t1', 'it rains in Bergen');
    log.answer('msg_2', textBlock('It rains.'));
    log.user('And in Oslo?');
    log.answer('msg_3', textBlock('The sun shines.'));
    return log;
  }

  it('keeps the bytes of what is not changed, but for its id and its origin', async () => {
    const { text, lines } = talk();
    const session = await openToCopy(text);
    const copied = (await write(session, draftCopyTo(session, null))).trimEnd().split('\n');
    const restored = copied.map((line) =>
      line.replace(/,"forkedFrom":\{[^}]*\}\}$/, '}').replaceAll(SESSION_ID, session.header.id),
    );
    expect(restored).toEqual(lines);
  });

  it('lets what follows a dropped message follow the one before it', async () => {
    const session = await openToCopy(talk().text);
    const user = messagesOf(session).findLast(({ role }) => role === 'user');
    const copied = (await write(session, edit(session, [[user!, null]]))).trimEnd().split('\n');
    const records = copied.map((line) => JSON.parse(line) as { uuid: string; parentUuid: string | null });
    expect(records).toHaveLength(5);
    expect(records.every(({ parentUuid }, at) => parentUuid === (records[at - 1]?.uuid ?? null))).toBe(true);
  });

  it('has no record of a message that is sent with others in one, but the others', async () => {
    const log = talk();
    log.answer('msg_4', call('t2'));
    log.answer('msg_4', call('t3'));
    log.user([
      { type: 'tool_result', tool_use_id: 't2', content: 'two' },
      { type: 'tool_result', tool_use_id: 't3', content: 'three' },
    ]);
    const session = await openToCopy(log.text);
    const results = messagesOf(session).filter(({ role }) => role === 'toolResult');
    const text = await write(
      session,
      edit(session, [[results.at(-1)!, { content: [{ type: 'text', text: '[cut]' }] }]]),
    );
    expect(text).toContain('"content":"two"');
    expect(text).not.toContain('"content":"three"');
    expect(text).toContain('"content":"[cut]"');
  });

  it('lacks what the client computes: recorded requests and sums of costs', async () => {
    const log = talk();
    log.other({ type: 'cost-state', totalCostUSD: 3 });
    const session = await openToCopy(log.text);
    expect(await write(session, draftCopyTo(session, null))).not.toContain('cost-state');
  });
});

it('a copy of a rollout is numbered without gaps, and names the thread that it was forked from', async () => {
  const lines = readFixture('agents/codex/rollout.jsonl').trimEnd().split('\n');
  const numbered = lines.map((line, ordinal) => {
    const { timestamp, ...rest } = JSON.parse(line) as JsonObject;
    return JSON.stringify({ timestamp, ordinal, ...rest });
  });
  const session = await openToCopy(`${numbered.join('\n')}\n`);
  const user = currentMessages(session).find(({ role }) => role === 'user');
  const copied = (await write(session, edit(session, [[user!, null]]))).trimEnd().split('\n');
  const records = copied.map((line) => JSON.parse(line) as { ordinal: number; payload: JsonObject });
  expect(copied).toHaveLength(lines.length - 1);
  expect(records.map(({ ordinal }) => ordinal)).toEqual(records.map((_, at) => at));
  expect(records[0]?.payload).toMatchObject({ id: SESSION_ID, forked_from_id: session.header.id });
});

it('a difference between what was planned and what a copy shows is found', async () => {
  const session = await openToCopy(readFixture('agents/codex/rollout.jsonl'));
  const whole = buildEnvelope(session, session.tree.leaf);
  const shorter = { ...whole, messages: { ...whole.messages, cached: whole.messages.cached.slice(1) } };
  expect(findDifference(whole, whole)).toBeNull();
  expect(findDifference(whole, shorter)).toMatch(/^message 1 of \d+ differs$/);
  const longer = {
    ...whole,
    messages: { ...whole.messages, cached: [...whole.messages.cached, whole.messages.cached[0]!] },
  };
  expect(findDifference(whole, longer)).toMatch(/^it has \d+ messages instead of \d+$/);
});
