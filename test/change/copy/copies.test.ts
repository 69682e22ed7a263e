import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { buildUuid } from '#base/uuid.js';
import { planCompaction } from '#change/compact/plan-compaction.js';
import { compactionSettings } from '#change/compact/settings.js';
import { buildCopy, findDifference } from '#change/copy/build-copy.js';
import {
  adaptToCopy,
  type CopyDraft,
  draftCopyTo,
  draftCopyWithout,
  draftEditedCopy,
} from '#change/copy/copy-draft.js';
import { type SessionToCopy } from '#change/copy/session-to-copy.js';
import { buildDraft } from '#change/plan/draft.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { call, ClaudeCodeLog, generateClaudeCode, textBlock } from '../../support/claude-code.js';
import { generateRollout } from '../../support/codex-rollouts.js';
import { createIds, openToCopy } from '../../support/copying.js';
import { projectFolder } from '../../support/files.js';
import { runs } from '../../support/runs.js';

const readFixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');

/** Writes a copy, which throws unless what is read from it is what was planned. Returns its text. */
async function write(session: SessionToCopy, copy: CopyDraft): Promise<string> {
  const newId = createIds();
  const stamps = { sessionId: SESSION_ID, timestamp: '2026-03-01T10:00:00.000Z', newId: () => buildUuid(newId) };
  const { bytes } = await buildCopy(session, copy, stamps);
  return Buffer.from(bytes).toString();
}

const SESSION_ID = 'aaaaaaaa-0000-4000-8000-000000000000';

type Edits = readonly (readonly [head: Head, replacement: JsonObject | null])[];

function edit(session: SessionToCopy, edits: Edits) {
  return draftEditedCopy(buildDraft(session, listEditEntries(session, edits)));
}

function listEditEntries(session: SessionToCopy, edits: Edits): readonly JsonObject[] {
  let parentId = formatId(session.tree.leaf?.id);
  const newId = createIds();
  return edits.map(([{ id }, replacement]) => {
    const own = `e${newId().slice(1)}`;
    const entry = { type: 'context_edit', id: own, parentId, timestamp: TIME, targetId: formatId(id), replacement };
    parentId = own;
    return entry;
  });
}

const TIME = '2026-03-01T10:00:00.000Z';

function compact(session: SessionToCopy, kept: Head | null, edits: Edits = []) {
  const id = 'cccccccc';
  const firstKeptEntryId = kept ? formatId(kept.id) : id;
  const before = listEditEntries(session, edits);
  const parentId = before.at(-1)?.id ?? formatId(session.tree.leaf?.id);
  const entry = { type: 'compaction', id, parentId, timestamp: TIME, summary: 'It rained.', firstKeptEntryId };
  return draftEditedCopy(adaptToCopy(buildDraft(session, [...before, { ...entry, tokensBefore: 100 }])));
}

const messagesOf = (session: SessionToCopy): readonly Head[] =>
  activePath(session.tree).filter(({ type }) => type === 'message');

/** The messages since the last compaction. */
function currentMessages(session: SessionToCopy): readonly Head[] {
  const heads = activePath(session.tree);
  const start = heads.findLastIndex(({ type }) => type === 'compaction' || type === 'context_transform') + 1;
  return heads.slice(start).filter(({ type }) => type === 'message');
}

/** Drops some messages of the user, and shortens some results. */
function pruneSome(session: SessionToCopy): CopyDraft {
  const edits = messagesOf(session).flatMap((head, at): (readonly [Head, JsonObject | null])[] => {
    if (head.role === 'user' && at % 5 === 3) return [[head, null]];
    // A list of found tools holds no text.
    const isCut = head.role === 'toolResult' && at % 2 === 0 && !isToolSearch(session, head);
    return isCut ? [[head, { content: [{ type: 'text', text: `[cut ${at}]` }] }]] : [];
  });
  return edit(session, edits);
}

function isToolSearch(session: SessionToCopy, head: Head): boolean {
  return (session.entry(head)['message'] as JsonObject)['toolName'] === 'tool_search';
}

function compactAll(session: SessionToCopy): CopyDraft {
  return compact(session, null);
}

function compactBeforeLast(session: SessionToCopy): CopyDraft {
  return compact(session, currentMessages(session).findLast(({ role }) => role === 'user') ?? null);
}

/** Cuts the results of the newest turns, and compacts what is before them. */
function pruneAndCompact(session: SessionToCopy): CopyDraft {
  const kept = currentMessages(session).findLast(({ role }) => role === 'user') ?? null;
  const results = currentMessages(session).filter(
    (head) => kept !== null && head.index > kept.index && head.role === 'toolResult' && !isToolSearch(session, head),
  );
  const cut = results.map((head) => [head, { content: [{ type: 'text', text: '[cut]' }] }] as const);
  return compact(session, kept, cut);
}

function takeBackCompaction(session: SessionToCopy): CopyDraft {
  const last = activePath(session.tree).findLast(({ type }) => type === 'compaction');
  return draftCopyWithout(session, new Set(last ? [last.index] : []));
}

function addText(session: SessionToCopy): CopyDraft {
  const parentId = formatId(session.tree.leaf?.id);
  const entry = { type: 'custom_message', id: 'dddddddd', parentId, timestamp: TIME, customType: 'x', display: false };
  return draftEditedCopy(buildDraft(session, [{ ...entry, content: 'Mind the gap.' }]));
}

const WAYS = [
  ['with a text at its end', addText],
  ['with some messages dropped and cut', pruneSome],
  ['that is compacted', compactAll],
  ['that is compacted before its last turn', compactBeforeLast],
  ['that is cut and compacted before its last turn', pruneAndCompact],
  ['without its last compaction', takeBackCompaction],
] as const;

const FIXTURES = [
  'agents/claude-code/session.jsonl',
  'agents/claude-code/requests.jsonl',
  'agents/codex/rollout.jsonl',
  'agents/codex/version-0.50.jsonl',
];

describe.each(FIXTURES)('a copy of %s', (name) => {
  it('shows the same context', async () => {
    const session = await openToCopy(readFixture(name));
    await write(session, draftCopyTo(session, null));
  });

  it.each(WAYS)('%s shows the planned context', async (_way, change) => {
    const session = await openToCopy(readFixture(name));
    await write(session, change(session));
  });
});

const GENERATED = runs(60);

describe.each([
  ['Claude Code', generateClaudeCode],
  ['Codex', generateRollout],
] as const)('copies of generated sessions of %s', (_agent, generate) => {
  it('that change nothing show the same context', async () => {
    for (let seed = 0; seed < GENERATED; seed += 1) {
      const session = await openToCopy(generate(seed));
      await write(session, draftCopyTo(session, null));
    }
  });

  // A generated tree may have records in an order that no client writes, which a changed copy cannot keep.
  it.each(WAYS)('%s show the planned context, or are refused', async (_way, change) => {
    let written = 0;
    for (let seed = 0; seed < GENERATED; seed += 1) {
      const session = await openToCopy(generate(seed));
      try {
        await write(session, change(session));
        written += 1;
      } catch (error) {
        expect(error).toMatchObject({ kind: 'refused', message: expect.stringContaining('planned context') as string });
      }
    }
    expect(written).toBeGreaterThan(GENERATED * 0.75);
  });
});

const USAGE = { input_tokens: 7, output_tokens: 7 };

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

  it('lacks the tokens that were counted after its first change, but for those of other contexts', async () => {
    const log = talk();
    const { leaf } = log;
    log.record('assistant', {
      isSidechain: true,
      message: { id: 'side', role: 'assistant', content: [], usage: USAGE },
    });
    log.leaf = leaf;
    const session = await openToCopy(log.text);
    const user = messagesOf(session).findLast(({ role }) => role === 'user');
    const countedIn = async (copy: CopyDraft): Promise<readonly string[]> =>
      (await write(session, copy))
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { message?: { id?: string; usage?: unknown } }).message)
        .flatMap((message) => (message?.usage ? [String(message.id)] : []));
    expect(await countedIn(edit(session, [[user!, null]]))).toEqual(['msg_1', 'msg_2', 'side']);
    expect(await countedIn(compact(session, user!))).toEqual(['msg_1', 'msg_2', 'side']);
    expect(await countedIn(compact(session, null))).toEqual(['msg_1', 'msg_2', 'msg_3', 'side']);
  });

  it('lacks what the client computes: recorded requests and sums of costs', async () => {
    const log = talk();
    log.other({ type: 'cost-state', totalCostUSD: 3 });
    const session = await openToCopy(log.text);
    expect(await write(session, draftCopyTo(session, null))).not.toContain('cost-state');
  });
});

it('a copy that is compacted before an earlier compaction keeps neither its boundary nor its summary', async () => {
  const log = new ClaudeCodeLog();
  const asked = log.user('What is new?');
  const answered = log.answer('m1', textBlock('Little.'));
  const anchorUuid = log.uuidAhead(1);
  log.boundary({ preservedMessages: { anchorUuid, uuids: [asked, answered] } });
  log.summary('They talked.');
  log.user('And now?');
  const last = log.answer('m2', textBlock('Nothing.'));
  const session = await openToCopy(log.text);
  const kept = messagesOf(session).find(({ role }) => role === 'assistant');
  const copied = (await write(session, compact(session, kept!))).trimEnd().split('\n');
  expect(listKeptUuids(copied)).toEqual([answered, expect.any(String), last]);
});

it('a copy that is compacted before the summary of a branch keeps that summary, but not its boundary', async () => {
  const log = new ClaudeCodeLog();
  log.user('What is new?');
  const end = log.answer('m1', textBlock('Little.'));
  log.user('And there?');
  log.answer('m2', textBlock('Much.'));
  const summary = log.summarizeAfter(end, 'They talked of elsewhere.');
  const last = log.user('And now?');
  const session = await openToCopy(log.text);
  const kept = activePath(session.tree).find(({ type }) => type === 'branch_summary');
  const copied = (await write(session, compact(session, kept!))).trimEnd().split('\n');
  expect(listKeptUuids(copied)).toEqual([summary, last]);
});

/** The uuids that the last boundary of a copy keeps. Its summary is the last line. */
function listKeptUuids(copied: readonly string[]): unknown {
  const { compactMetadata } = JSON.parse(copied.at(-2)!) as { compactMetadata: Record<string, JsonObject> };
  return compactMetadata['preservedMessages']?.['uuids'];
}

it('a copy of a rollout is numbered without gaps, and names the thread that it was forked from', async () => {
  const lines = readFixture('agents/codex/rollout.jsonl').trimEnd().split('\n');
  const numbered = lines.map((line, ordinal) => {
    const { timestamp, ...rest } = JSON.parse(line) as JsonObject;
    return JSON.stringify({ timestamp, ordinal, ...rest });
  });
  const session = await openToCopy(`${numbered.join('\n')}\n`);
  const user = messagesOf(session).find(({ role }) => role === 'user');
  const copied = (await write(session, edit(session, [[user!, null]]))).trimEnd().split('\n');
  const records = copied.map((line) => JSON.parse(line) as { ordinal: number; payload: JsonObject });
  expect(copied.length).toBeLessThan(lines.length);
  expect(records.map(({ ordinal }) => ordinal)).toEqual(records.map((_, at) => at));
  expect(records[0]?.payload).toMatchObject({ id: SESSION_ID, forked_from_id: session.header.id });
});

describe('a copy of a rollout', () => {
  /** The tokens of the thread and of its last request in each count. */
  function countsIn(text: string): readonly (readonly [total: unknown, input: unknown, all: unknown])[] {
    const payloads = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { payload: JsonObject }).payload);
    return payloads.flatMap(({ type, info }) => {
      if (type !== 'token_count') return [];
      const { total_token_usage: total, last_token_usage: last } = info as Record<string, JsonObject>;
      return [[total?.['input_tokens'], last?.['input_tokens'], last?.['total_tokens']] as const];
    });
  }

  const turn = (number: number): readonly object[] => {
    const item = (role: string, text: string): object => ({
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
    });
    const tokens = (input: number): object => ({ input_tokens: input, output_tokens: 1, total_tokens: input + 1 });
    const info = { total_token_usage: tokens(1000 * number), last_token_usage: tokens(100 * number) };
    return [
      item('user', `Question ${number}`),
      item('assistant', `Answer ${number}`),
      { type: 'token_usage_record', payload: { response_id: `resp_${number}`, usage: tokens(100 * number) } },
      { type: 'event_msg', payload: { type: 'token_count', info } },
    ];
  };
  const lines = [
    { type: 'session_meta', payload: { id: 's', timestamp: TIME, cwd: '/w' } },
    ...[1, 2, 3].flatMap(turn),
  ];
  const rollout = lines.map((line) => `${JSON.stringify({ timestamp: TIME, ...line })}\n`).join('');

  it('has estimates in place of the tokens that were counted after its first change', async () => {
    const session = await openToCopy(rollout);
    const second = messagesOf(session).filter(({ role }) => role === 'user')[1];
    const copy = edit(session, [[second!, null]]);
    const text = await write(session, copy);
    const { tokens } = copy.after.meta.size;
    expect(countsIn(text)).toEqual([
      [1000, 100, 101],
      [1000, 0, tokens],
      [1000, 0, tokens],
    ]);
    expect(text.match(/token_usage_record/g)).toHaveLength(1);
  });

  it('has an estimate after a new compaction', async () => {
    const session = await openToCopy(rollout);
    const copy = compact(session, null);
    const counts = countsIn(await write(session, copy));
    expect(counts.at(-2)).toEqual([3000, 300, 301]);
    expect(counts.at(-1)).toEqual([3000, 0, copy.after.meta.size.tokens]);
  });
});

describe('a copy of a rollout with', () => {
  const user = (text: string): object => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const callOf = (id: string): object => ({
    type: 'function_call',
    call_id: id,
    name: 'exec_command',
    arguments: '{}',
  });
  const result = (id: string): object => ({ type: 'function_call_output', call_id: id, output: `of ${id}` });
  const answer = (text: string): object => ({
    role: 'assistant',
    type: 'message',
    content: [{ type: 'output_text', text }],
  });
  const rollback = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } };

  function rollout(...lines: readonly object[]): string {
    const header = { type: 'session_meta', payload: { id: 's', timestamp: TIME, cwd: '/w' } };
    const all = lines.map((line) => ('payload' in line ? line : { type: 'response_item', payload: line }));
    return [header, ...all].map((line) => `${JSON.stringify({ timestamp: TIME, ...line })}\n`).join('');
  }

  it('interrupted calls records the results that Codex makes, if one of them is changed', async () => {
    const session = await openToCopy(
      rollout(user('Go'), callOf('a'), callOf('b'), callOf('c'), result('c'), user('Why?')),
    );
    const [, first] = messagesOf(session).filter(({ role }) => role === 'toolResult');
    const text = await write(session, edit(session, [[first!, { content: [{ type: 'text', text: '[cut]' }] }]]));
    const outputs = text.match(/"call_id":"."(?:,"output":"[^"]*")/g);
    expect(outputs).toEqual([
      '"call_id":"a","output":"aborted"',
      '"call_id":"b","output":"[cut]"',
      '"call_id":"c","output":"of c"',
    ]);
  });

  it('interrupted calls records their results in the history of a new compaction', async () => {
    const session = await openToCopy(rollout(user('Go'), user('Look'), callOf('a'), user('Why?'), answer('So.')));
    const text = await write(session, compact(session, messagesOf(session)[1]!));
    expect(text.trimEnd().split('\n').at(-1)).toContain('"call_id":"a","output":"aborted"');
  });

  it('turns that were rolled back leaves them out, if it has other turns: Codex counts back over all', async () => {
    const lines = [
      user('One'),
      answer('First.'),
      user('Two'),
      answer('Second.'),
      rollback,
      user('Three'),
      answer('Third.'),
    ];
    const session = await openToCopy(rollout(...lines));
    const compacted = await write(session, compact(session, messagesOf(session).at(-2)!));
    const dropped = await write(session, edit(session, [[messagesOf(session)[0]!, null]]));
    for (const text of [compacted, dropped]) expect(text).not.toMatch(/Second\.|thread_rolled_back/);
    const changed = { content: [{ type: 'text', text: '[said]' }] };
    const edited = await write(session, edit(session, [[messagesOf(session)[0]!, changed]]));
    expect(edited).toMatch(/Second\.[^]*thread_rolled_back/);
  });

  it('a part of a history that Codex compacted is refused, as no entry is the first that stays', async () => {
    const history = [user('One'), answer('First.'), user('Two'), answer('Second.')];
    const session = await openToCopy(
      rollout(
        user('Go'),
        { type: 'compacted', payload: { message: 'So far.', replacement_history: history } },
        answer('Third.'),
      ),
    );
    const settings = { ...compactionSettings([], null), keepRecentTokens: 4 };
    await expect(planCompaction(session, { settings, form: 'compaction' })).rejects.toThrow('a compaction of Codex');
  });

  it('a search at the provider has a text instead, if that is changed', async () => {
    const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'maps' } };
    const session = await openToCopy(rollout(user('Go'), search, answer('Here.')));
    const [, found] = messagesOf(session);
    const content = [
      { type: 'text', text: '[searched]' },
      { type: 'text', text: 'Here.' },
    ];
    const text = await write(session, edit(session, [[found!, { content }]]));
    expect(text).toContain('[searched]');
    expect(text).not.toContain('web_search_call');
  });
});

it('a list of found tools keeps what it is in a copy of a rollout, which says so', async () => {
  const search = { type: 'tool_search_call', call_id: 'c1', arguments: { query: 'maps' } };
  const found = { type: 'tool_search_output', call_id: 'c1', tools: [{ name: 'map' }] };
  const lines = [
    { type: 'session_meta', payload: { id: 's', timestamp: TIME, cwd: '/w' } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
    },
    ...[search, found].map((payload) => ({ type: 'response_item', payload })),
  ];
  const session = await openToCopy(lines.map((line) => `${JSON.stringify({ timestamp: TIME, ...line })}\n`).join(''));
  const result = messagesOf(session).find(({ role }) => role === 'toolResult');
  const copy = edit(session, [[result!, { content: [{ type: 'text', text: '[cut]' }] }]]);
  await expect(write(session, copy)).rejects.toMatchObject({
    message: expect.stringContaining('found tools') as string,
  });
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
