import { describe, expect, it } from 'vitest';
import type { LlmMessage } from '#context/replay/content.js';
import type { SentMessage } from '#context/replay/message-list.js';
import { isSentAlike, WireMessages } from '#context/request/wire-messages.js';

const SONNET = { provider: 'anthropic', api: 'anthropic-messages', model: 'sonnet' };
const HAIKU = { ...SONNET, model: 'haiku' };

let line = 0;

function sent(message: LlmMessage): SentMessage {
  line += 1;
  return { message, from: { entryId: `e${line}`, line, origin: 'entry' } };
}

function assistant(content: readonly object[], fields: object = {}): SentMessage {
  return sent({
    role: 'assistant',
    ...SONNET,
    content,
    stopReason: 'stop',
    usage: { input: 1 },
    timestamp: 5,
    ...fields,
  });
}

function listOf(messages: readonly SentMessage[], target = SONNET): WireMessages {
  const list = WireMessages.to(target);
  list.append(messages);
  return list;
}

const fields = (list: WireMessages): readonly unknown[] => list.messages.map((message) => message.fields);
const call = (id: string): object => ({ type: 'toolCall', id, name: 'read', arguments: {} });
const user = sent({ role: 'user', content: 'Hello', timestamp: 1 });
const result = (toolCallId: string): SentMessage =>
  sent({
    role: 'toolResult',
    toolCallId,
    toolName: 'read',
    content: [{ type: 'text', text: 'x' }],
    isError: false,
    details: {},
  });

describe('messages as they are sent', () => {
  it('have no times, usage or names of models', () => {
    expect(fields(listOf([user, assistant([{ type: 'text', text: 'Hi' }])]))).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    ]);
  });

  it('are without answers that failed', () => {
    const failed = ['error', 'aborted'].map((stopReason) => assistant([{ type: 'text', text: 'Hi' }], { stopReason }));
    expect(listOf([user, ...failed]).messages).toHaveLength(1);
  });

  it('hold a result for every call', () => {
    const list = listOf([user, assistant([call('a'), call('b')]), result('a')]);
    expect(list.messages).toHaveLength(3);
    expect(list.buildMissingResults()).toMatchObject([{ fields: { toolCallId: 'b', isError: true } }]);
    list.append([sent({ role: 'user', content: 'Go on', timestamp: 9 })]);
    expect(list.buildMissingResults()).toEqual([]);
    expect(list.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult', 'toolResult', 'user']);
  });

  it('may be any number of results of one answer', () => {
    const many = Array.from({ length: 100_000 }, (_, at) => result(`r${at}`));
    const list = listOf([user, assistant([call('a'), call('r99999')]), ...many]);
    expect(list.buildMissingResults()).toMatchObject([{ fields: { toolCallId: 'a' } }]);
  });

  it('hold thinking and signatures only for the model that thought it', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'thinking', thinking: '  ' },
      { type: 'thinking', thinking: '', thinkingSignature: 's' },
      { type: 'text', text: 'Hi', textSignature: 's' },
      { ...call('a'), thoughtSignature: 's' },
    ];
    const [own] = fields(listOf([assistant(content)]));
    expect(own).toEqual({ role: 'assistant', content: content.filter((_block, at) => at !== 1) });
    const [other] = fields(listOf([assistant(content)], HAIKU));
    expect(other).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Hi' }, call('a')] });
  });

  it('are equal with any order of keys, and with a text as one block', () => {
    const [one] = listOf([user]).messages;
    const [other] = listOf([sent({ timestamp: 2, content: [{ text: 'Hello', type: 'text' }], role: 'user' })]).messages;
    expect(one && other && isSentAlike(one, other)).toBe(true);
  });

  it('are identical in a list that starts over', () => {
    const list = listOf([user]);
    const again = list.startOver(SONNET);
    again.append([user]);
    expect(again.messages[0]).toBe(list.messages[0]);
    const cut = list.takeFirst(0);
    cut.append([user]);
    expect(cut.messages[0]).toBe(list.messages[0]);
    expect(list.startOver(HAIKU).messages).toEqual([]);
  });
});
