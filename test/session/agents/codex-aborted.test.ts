import { expect, test } from 'vitest';
import { partsOf } from '../../support/codex-parts.js';
import { opened } from '../../support/entries.js';

/** A rollout of these items. */
function rollout(...payloads: readonly object[]): string {
  const header = { type: 'session_meta', payload: { id: '019ca000-0001-7000-8000-000000000001' } };
  const items = payloads.map((payload) => ({ type: 'response_item', payload }));
  return [header, ...items]
    .map((line) => `${JSON.stringify({ timestamp: '2026-02-28T10:00:00.000Z', ...line })}\n`)
    .join('');
}

const user = (text: string): object => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const call = (id: string): object => ({ type: 'function_call', call_id: id, name: 'exec_command', arguments: '{}' });
const patch = (id: string): object => ({ type: 'custom_tool_call', call_id: id, name: 'apply_patch', input: 'x' });
const result = (id: string): object => ({ type: 'function_call_output', call_id: id, output: `of ${id}` });

async function textsIn(...payloads: readonly object[]): Promise<readonly string[]> {
  return partsOf(await opened(rollout(...payloads))).map(({ text }) => text.replace(/ \{.*/, ''));
}

test('Codex sends a result for a call that was interrupted, before what the user says next', async () => {
  expect(await textsIn(user('Go'), call('a'), user('Why?'))).toEqual([
    'Go',
    'calls a exec_command',
    'a: aborted',
    'Why?',
  ]);
});

test('of parallel calls, only those without a result are aborted, in the order of the calls', async () => {
  expect(await textsIn(user('Go'), call('a'), patch('b'), call('c'), result('c'), user('Why?'))).toEqual([
    'Go',
    'calls a exec_command',
    'calls b apply_patch',
    'calls c exec_command',
    'a: aborted',
    'b: aborted',
    'c: of c',
    'Why?',
  ]);
});

test('a call at the end of a rollout may still run', async () => {
  expect(await textsIn(user('Go'), call('a'), call('b'), result('b'))).toEqual([
    'Go',
    'calls a exec_command',
    'calls b exec_command',
    'b: of b',
  ]);
});

test('an aborted result takes no number, so that the entries after it have the ids that they had before', async () => {
  const ids = async (...payloads: readonly object[]): Promise<unknown> => {
    const { tree } = await opened(rollout(...payloads));
    return [...tree.heads].map(({ id }) => id);
  };
  const running = await ids(user('Go'), call('a'));
  const [first, second, aborted, third] = (await ids(user('Go'), call('a'), user('Why?'))) as string[];
  expect([first, second]).toEqual(running);
  const [, , after] = (await ids(
    user('Go'),
    { type: 'message', role: 'assistant', content: [] },
    user('Why?'),
  )) as string[];
  expect(third).toBe(after);
  expect(new Set([first, second, aborted, third]).size).toBe(4);
});

test('a result without a call is in no request, unless the call may be in a file that is missing', async () => {
  expect(await textsIn(user('Go'), result('x'), user('Why?'))).toEqual(['Go', 'Why?']);
  const session = await opened(rollout(user('Go'), result('x')));
  const orphans = [...session.tree.heads].map((head) => session.entry(head)).filter(({ type }) => type === 'custom');
  expect(orphans).toMatchObject([{ customType: 'codex:orphan-result', data: { call_id: 'x', output: 'of x' } }]);
  const cut = rollout(user('Go'), result('x')).replace('"id":', '"history_base":{"thread_id":"none"},"id":');
  expect(partsOf(await opened(cut)).map(({ text }) => text)).toEqual(['Go', 'x: of x']);
});

test('a call gets no result after its turn was rolled back, or its history replaced', async () => {
  const line = (type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: '2026-02-28T10:00:00.000Z', type, payload })}\n`;
  const begun = rollout(user('Go'), user('Wait'), call('a'));
  const next = line('response_item', user('Why?'));
  const rolledBack = line('event_msg', { type: 'thread_rolled_back', num_turns: 1 });
  const textsOf = async (text: string): Promise<readonly string[]> =>
    partsOf(await opened(text)).map((part) => part.text.replace(/ \{.*/, ''));
  expect(await textsOf(`${begun}${rolledBack}${next}`)).toEqual(['Go', 'Why?']);
  const compacted = line('compacted', { message: '', replacement_history: [user('A summary')] });
  expect(await textsOf(`${begun}${compacted}${next}`)).toEqual(['A summary', 'Why?']);
});
