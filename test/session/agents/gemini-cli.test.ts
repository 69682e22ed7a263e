import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { Random } from '../../support/random.js';
import { runs } from '../../support/runs.js';

type Fields = { readonly [key: string]: unknown };
type Block = { readonly [key in 'type' | 'text' | 'id']?: string };

const fixture = (name: string): string =>
  readFileSync(path.join(projectFolder, 'fixtures/agents/gemini-cli', name), 'utf8');

/** The texts of all messages at the leaf. */
function textsOf(session: OpenSession): readonly string[] {
  const { leaf } = session.tree;
  if (leaf === null) return [];
  return buildEnvelope(session, leaf).messages.cached.map(({ role, content }) => {
    const texts = (content as Block[]).map(({ type, text, id }) => (type === 'toolCall' ? `call ${id}` : (text ?? '')));
    return `${role}: ${texts.join(' ')}`;
  });
}

test('a record replaces the earlier one with its id, and a list replaces all', async () => {
  const session = await opened(fixture('session.jsonl'));
  expect(textsOf(session)).toEqual([
    'user: <state_snapshot>418 parts; the file may not be read.</state_snapshot>',
    'assistant: call gr_1',
    'toolResult: grep: stock.csv: Permission denied',
    'user: Then leave it.',
    'assistant: Fine.',
  ]);
  const types = [...session.tree.heads].map(({ type, role }) => role ?? type);
  expect(types.slice(0, 6)).toEqual(['user', 'model_change', 'assistant', 'toolResult', 'assistant', 'user']);
  expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
});

test('a rewind is a branch, and the tokens are those of Gemini without the cached ones', async () => {
  const session = await opened(fixture('session.jsonl'));
  const heads = [...session.tree.heads];
  const [, second, third] = heads.filter(({ role }) => role === 'user');
  expect(third!.parentId).toBe(second!.parentId);
  const answers = heads.filter(({ role }) => role === 'assistant').map((head) => session.usage(head));
  expect(answers[0]).toMatchObject({ input: 8200, output: 80, reasoning: 20, cacheRead: 0, totalTokens: 8280 });
  expect(answers[1]).toMatchObject({ input: 130, output: 24, cacheRead: 8190, totalTokens: 8344 });
});

test('a session of the first versions is one document', async () => {
  const session = await opened(fixture('session.json'));
  expect(session.header).toMatchObject({ id: '0a0b0c0d' });
  expect(textsOf(session)).toEqual(['user: Hello', 'assistant: Hello, Ada.']);
  expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
});

test('a result that the next record of the user repeats is there once', async () => {
  const header = { sessionId: 's', projectHash: 'p', startTime: '2026-11-24T04:18:17.000Z' };
  const result = { functionResponse: { id: 'ls_1', name: 'ls', response: { output: 'a.txt' } } };
  const call = { id: 'ls_1', name: 'ls', args: {}, result: [result], status: 'success' };
  const answer = { id: 'g1', type: 'gemini', content: 'I look.', toolCalls: [call] };
  const repeated = { id: 'u2', type: 'user', content: [result] };
  const other = { functionResponse: { id: 'ls_2', name: 'ls', response: { error: 'no folder' } } };
  const lines: object[] = [header, { id: 'u1', type: 'user', content: [{ text: 'Look' }] }, answer, repeated];
  const live = await opened(lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(textsOf(live)).toEqual(['user: Look', 'assistant: I look. call ls_1', 'toolResult: a.txt']);
  expect(bytesAccountedFor(live.scan)).toBe(live.scan.size);
  // After a resumption, the calls are in the content, and their results are there twice.
  const called = { id: 'g1', type: 'gemini', content: [{ functionCall: { id: 'ls_1', name: 'ls', args: {} } }] };
  const messages = [called, { ...repeated, id: 'g1_response' }, repeated];
  const mixed = { id: 'u3', type: 'user', content: [other, { text: 'And now?' }] };
  const resumed = await opened([header, { $set: { messages } }, mixed].map((line) => JSON.stringify(line)).join('\n'));
  expect(textsOf(resumed)).toEqual([
    'assistant: call ls_1',
    'toolResult: a.txt',
    'toolResult: no folder',
    'user: And now?',
  ]);
});

test('a list that replaced all has each call and its own result once', async () => {
  const header = { sessionId: 's', projectHash: 'p', startTime: '2026-11-26T22:26:35.287Z' };
  const response = (id: string, output: string): Fields => ({
    functionResponse: { id, name: 'ls', response: { output } },
  });
  const image = { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } };
  const result = [response('ls_1', 'a.txt'), response('ls_2', 'b.txt'), image];
  const ids = ['ls_1', 'ls_2'];
  const content = [{ text: 'I look.' }, ...ids.map((id) => ({ functionCall: { id, name: 'ls', args: {} } }))];
  const toolCalls = ids.map((id) => ({ id, name: 'ls', args: {}, result, status: 'success' }));
  const messages = [
    { id: 'g1', type: 'gemini', content, toolCalls },
    { id: 'u2', type: 'user', content: result.slice(0, 2) },
  ];
  const session = await opened([header, { $set: { messages } }].map((line) => JSON.stringify(line)).join('\n'));
  expect(textsOf(session)).toEqual([
    'assistant: I look. call ls_1 call ls_2',
    'toolResult: a.txt [application/pdf]',
    'toolResult: b.txt [application/pdf]',
  ]);
});

test('a shorter list with a new message is a compaction, one without is a replacement', async () => {
  const header = { sessionId: 's', projectHash: 'p', startTime: '2026-11-26T22:26:35.287Z' };
  const user = (id: string): Fields => ({ id, type: 'user', content: [{ text: id }] });
  const nameAfter = async (messages: readonly Fields[]): Promise<unknown> => {
    const lines = [header, user('u1'), user('u2'), user('u3'), { $set: { messages } }];
    const session = await opened(lines.map((line) => JSON.stringify(line)).join('\n'));
    return session.tree.leaf && session.entry(session.tree.leaf)['transformerName'];
  };
  expect(await nameAfter([user('summary'), user('u3')])).toBe('compaction');
  expect(await nameAfter([user('u1'), user('u2')])).toBe('replacement');
  expect(await nameAfter([user('u1'), user('masked'), user('u3')])).toBe('replacement');
});

/** The messages that the loader of Gemini CLI finds: a map by id, as in its source. */
function loaded(lines: readonly Fields[]): readonly string[] {
  const messages = new Map<unknown, Fields>();
  for (const line of lines) {
    const set = (line['$set'] as Fields | undefined)?.['messages'] as Fields[] | undefined;
    if (set) {
      messages.clear();
      for (const each of set) messages.set(each['id'], each);
    } else if ('$rewindTo' in line) {
      let isFound = false;
      for (const id of messages.keys()) {
        isFound ||= id === line['$rewindTo'];
        if (isFound) messages.delete(id);
      }
      if (!isFound) messages.clear();
    } else if ('id' in line) messages.set(line['id'], line);
  }
  return [...messages.values()].map(
    ({ type, content }) => `${type === 'user' ? 'user' : 'assistant'}: ${String(content)}`,
  );
}

test(`${runs(300)} generated sessions have the messages that Gemini CLI loads`, async () => {
  for (let seed = 1; seed <= runs(300); seed += 1) {
    const random = new Random(seed);
    const header = { sessionId: `s${seed}`, projectHash: 'p', startTime: '2026-04-02T09:00:00Z' };
    const lines: Fields[] = [header];
    const ids: string[] = [];
    const record = (id: string): Fields => {
      return { id, type: random.chance(0.5) ? 'user' : 'gemini', content: `${id} ${random.int(0, 99)}` };
    };
    for (let left = random.int(1, 30); left > 0; left -= 1) {
      const last = ids.at(-1);
      if (random.chance(0.1)) {
        const list = Array.from({ length: random.int(0, 4) }, (_, at) => record(`l${left}-${at}`));
        ids.splice(0, ids.length, ...list.map(({ id }) => id as string));
        lines.push({ $set: { messages: list } });
      } else if (random.chance(0.15)) {
        const id = random.chance(0.9) && ids.length > 0 ? random.pick(ids) : 'unknown';
        ids.splice(Math.max(0, ids.indexOf(id)));
        lines.push({ $rewindTo: id });
      } else if (last !== undefined && random.chance(0.2)) {
        const earlier = lines.findLast(({ id }) => id === last);
        if (earlier) lines.push({ ...earlier, content: `${last} newer` });
      } else {
        ids.push(`m${left}`);
        lines.push(record(`m${left}`));
      }
    }
    const session = await opened(lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(textsOf(session)).toEqual(loaded(lines));
    expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
  }
});
