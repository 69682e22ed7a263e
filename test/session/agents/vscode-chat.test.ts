import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { applyMutation, readMutation } from '#session/agents/vscode-chat/mutation-log.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

const read = (name: string): string =>
  readFileSync(path.join(projectFolder, 'fixtures/agents/vscode-chat', name), 'utf8');

type Json = Record<string, unknown>;
const records = read('chat.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Json);
const linesOf = (list: readonly unknown[]): string => list.map((record) => `${JSON.stringify(record)}\n`).join('');

function textsOf(session: OpenSession, answer?: number): readonly string[] {
  const answers = [...session.tree.heads].filter(({ role }) => role === 'assistant');
  const head = answer === undefined ? session.tree.leaf : (answers[answer] ?? null);
  return buildEnvelope(session, head).messages.cached.map(({ role, content }) => {
    const blocks = content as { text?: string; thinking?: string; name?: string }[];
    return `${role}: ${blocks.map((block) => block.text ?? block.thinking ?? block.name).join(' | ')}`;
  });
}

const ASKED =
  'user: <context>\nThe date is July 15, 2026.\n</context>\n<userRequest>\nWhere is the harbour?\n</userRequest>';
const AT_NIGHT = 'user: <userRequest>\nAnd at night?\n</userRequest>';

describe('a log of changes of VS Code', () => {
  it('has the rounds of each request with their results, as they are rendered for the model', async () => {
    const session = await opened(read('chat.jsonl'));
    expect(textsOf(session, 1)).toEqual([
      ASKED,
      'assistant: It is on the map. | I will look. | read_file',
      'toolResult: harbour\nnorth',
      'assistant: In the north.',
    ]);
    expect(session.header).toMatchObject({ id: '0d9b1c52-6f0e-4a3c-9d0e-1b2c3d4e5f60' });
    expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
  });

  it('has a summary instead of the messages before it, and ends before a request that was taken back', async () => {
    const session = await opened(read('chat.jsonl'));
    expect(textsOf(session)).toEqual(['user: The harbour is in the north.', AT_NIGHT, 'assistant: There too.']);
    const last = [...session.tree.heads].at(-1);
    expect(last?.role).toBe('assistant');
    expect(last?.id).not.toBe(session.tree.leaf?.id);
  });

  it('records neither sizes nor costs', async () => {
    const session = await opened(read('chat.jsonl'));
    expect([...session.tree.heads].filter(({ usageLength }) => usageLength > 0)).toEqual([]);
    expect(session.agent?.parts).toEqual({
      system: 'missing',
      tools: 'missing',
      messages: 'approximate',
      compactions: 'approximate',
      usage: 'missing',
    });
  });

  it('is the same chat when VS Code has written it again as one record', async () => {
    const state = records.reduce<unknown>((value, record) => applyMutation(value, readMutation(record)!), undefined);
    const [whole, log] = await Promise.all([opened(linesOf([{ kind: 0, v: state }])), opened(read('chat.jsonl'))]);
    expect(textsOf(whole)).toEqual(textsOf(log));
    expect(textsOf(whole, 1)).toEqual(textsOf(log, 1));
  });

  it('has each message where it is read while the chat grows', async () => {
    for (const count of records.keys()) {
      const session = await opened(linesOf(records.slice(0, count + 1)));
      for (const head of session.tree.heads) session.entry(head);
      expect(session.agent?.name).toBe('vscode-chat');
    }
  });

  it('goes on after a damaged record, and after one that it does not know', async () => {
    const text = read('chat.jsonl').replace('"kind":1,"k":["customTitle"]', '"kind":7,"k":["customTitle"]');
    const session = await opened(text.replace(/^\{"kind":3.*$/m, '{"kind":3,"k":["requests",'));
    expect(textsOf(session).at(-1)).toBe('assistant: There too.');
    expect([session.agent?.unusedLines, session.scan.damaged.length]).toEqual([1, 1]);
  });

  it('cannot reach the prototype of an object', async () => {
    const hostile = { kind: 1, k: ['requests', 0, '__proto__', 'polluted'], v: true };
    await opened(linesOf([...records, hostile, { ...hostile, k: ['constructor', 'prototype', 'polluted'] }]));
    expect(({} as Json)['polluted']).toBeUndefined();
  });

  it('goes on after a path that is too long, or begins with a number, or names a request that it does not have', async () => {
    const k = ['requests', 0, ...Array.from({ length: 100_000 }, () => 'a')];
    const unknown = [
      { kind: 1, k, v: 1 },
      { kind: 1, k: [0], v: 1 },
      { kind: 1, k: ['requests', 90, 'modelId'], v: 'x/y' },
    ];
    const session = await opened(linesOf([...records, ...unknown]));
    const whole = await opened(read('chat.jsonl'));
    expect([session.header.id, textsOf(session)]).toEqual([whole.header.id, textsOf(whole)]);
    expect(session.agent?.unusedLines).toBe((whole.agent?.unusedLines ?? 0) + unknown.length);
  });

  it('has the texts of a result with a huge list of parts', async () => {
    const children = Array.from({ length: 200_000 }, () => ({ text: 'x' }));
    const rounds = [{ id: 'r', response: '', toolCalls: [{ id: 'c', name: 'read', arguments: '{}' }] }];
    const toolCallResults = { c: { content: [{ value: { node: { children } } }] } };
    const result = { metadata: { toolCallRounds: rounds, toolCallResults } };
    const request = { requestId: 'q', message: 'Read.', result };
    const session = await opened(linesOf([{ kind: 0, v: { sessionId: 's', requests: [request] } }]));
    expect(textsOf(session).at(-1)).toBe(`toolResult: ${'x'.repeat(200_000)}`);
  });

  it('is approximate if an answer is recorded as the screen shows it only', async () => {
    const renderedUserMessage = [{ type: 1, text: 'Where?' }];
    const messagesOf = async (metadata: object): Promise<unknown> => {
      const request = { requestId: 'q', message: 'Where?', response: [{ value: 'North.' }], result: { metadata } };
      const session = await opened(linesOf([{ kind: 0, v: { version: 3, sessionId: 's', requests: [request] } }]));
      return session.agent?.parts.messages;
    };
    const toolCallRounds = [{ id: 'r', response: 'North.', toolCalls: [] }];
    expect(await messagesOf({ renderedUserMessage, toolCallRounds })).toBe('recorded');
    expect(await messagesOf({ renderedUserMessage })).toBe('approximate');
  });

  it('with the whole of a damaged request replaced is read', async () => {
    const session = await opened(linesOf([...records, { kind: 1, k: ['requests', 0], v: null }]));
    expect(textsOf(session).at(-1)).toBe('assistant: There too.');
  });
});

describe('a chat of VS Code before 1.109', () => {
  it('has the words of the user and the answer as the screen shows it', async () => {
    const session = await opened(read('chat.json'));
    expect(textsOf(session)).toEqual([
      'user: Where is the harbour?',
      'assistant: It is in `map.txt`, in the north.\n[copilot_readFile] Read map.txt\nDone.',
    ]);
    expect(session.entry([...session.tree.heads][0]!)).toMatchObject({ type: 'session_info', name: 'The map' });
    expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
  });

  it('is approximate in an unknown version', async () => {
    const chat = JSON.parse(read('chat.json')) as Json;
    const session = await opened(JSON.stringify({ ...chat, version: 9 }));
    expect(session.agent?.parts).toMatchObject({ messages: 'approximate', compactions: 'approximate' });
  });
});

const value = fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.constant([]), fc.constant({}));

it('any value instead of a field of a record is read', async () => {
  const place = fc.tuple(fc.nat(records.length - 1), fc.constantFrom('kind', 'k', 'v', 'i'), value);
  await fc.assert(
    fc.asyncProperty(place, async ([at, key, other]) => {
      const changed = records.map((record, index) => (index === at ? { ...record, [key]: other } : record));
      const session = await opened(linesOf(changed)).catch((error: unknown) => String(error));
      if (typeof session === 'string') return expect(at).toBe(0);
      for (const head of session.tree.heads) session.entry(head);
      expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
    }),
  );
});

/** What VS Code does with a record, on a copy. */
function applyAsVsCode(state: Json, { k, v, kind, i }: Json): Json {
  const copy = structuredClone(state);
  const keys = k as (string | number)[];
  let inner = copy as Record<string | number, unknown>;
  for (const key of keys.slice(0, -1)) inner = inner[key] as Record<string | number, unknown>;
  const last = keys.at(-1)!;
  if (kind !== 2) inner[last] = kind === 3 ? undefined : v;
  else {
    const items = (inner[last] as unknown[] | undefined) ?? [];
    if (i !== undefined) items.length = i as number;
    items.push(...((v as unknown[] | undefined) ?? []));
    inner[last] = items;
  }
  return copy;
}

const change = fc.oneof(
  fc.record({ kind: fc.constant(1), k: fc.constantFrom(['a'], ['list', 0], ['deep', 'b']), v: fc.integer() }),
  fc.record({ kind: fc.constant(2), k: fc.constantFrom(['list'], ['deep', 'new']), v: fc.array(fc.integer()) }),
  fc.record({ kind: fc.constant(2), k: fc.constant(['list']), i: fc.constant(0), v: fc.array(fc.integer()) }),
  fc.record({ kind: fc.constant(3), k: fc.constantFrom(['a'], ['deep', 'b']) }),
);

it('records change the chat as VS Code applies them', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      let ours: unknown = { a: 1, list: [1, 2], deep: { b: 1 } };
      let theirs: Json = { a: 1, list: [1, 2], deep: { b: 1 } };
      for (const record of changes) {
        ours = applyMutation(ours, readMutation(record)!);
        theirs = applyAsVsCode(theirs, record);
        expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs));
      }
    }),
  );
});
