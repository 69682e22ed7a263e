import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { anthropicPieces } from './claude-code.js';
import { openaiPieces, shownRequest } from './codex.js';
import { differences, shownPieces, type Unrecorded } from './compare.js';

const reminder = (text: string): JsonObject => ({
  type: 'text',
  text: `<system-reminder>\n${text}\n</system-reminder>`,
});
const text = (words: string): JsonObject => ({ type: 'text', text: words });

/** A request with each kind of block. */
const SENT: JsonObject = {
  messages: [
    { role: 'user', content: [reminder('The skill is called sail, and it is new.'), text('Look at it.\n')] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'A look helps.' },
        text('I look.'),
        { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a.txt' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: 'one\n\n<system-reminder>\nNine tokens are left.\n</system-reminder>',
        },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        text('And this?'),
      ],
    },
  ],
};

/** What ctx shows of it. `change`: a message to replace. */
function shown(change: Readonly<Record<number, JsonObject | null>> = {}): JsonObject {
  const messages: readonly JsonObject[] = [
    { role: 'user', content: 'Look at it.' },
    { role: 'user', content: [text('The skill is called sail')] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'A look helps.' },
        text('I look.'),
        { type: 'toolCall', id: 'toolu_1', name: 'Read', arguments: { file_path: 'a.txt' } },
      ],
    },
    { role: 'toolResult', toolCallId: 'toolu_1', content: [text('one')] },
    { role: 'user', content: [text('{"text":"Nine tokens are left.","more":1}')] },
    { role: 'user', content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }, text('And this?')] },
  ];
  const cached = messages.flatMap((message, at) => {
    const other = at in change ? change[at] : message;
    return other ? [other] : [];
  });
  return { messages: { cached, uncached: [] } };
}

function compared(envelope: JsonObject, unrecorded: Unrecorded = { reminders: 'data' }): readonly string[] {
  return differences(anthropicPieces(SENT), shownPieces(envelope), unrecorded);
}

describe('the comparison of a request of Claude Code', () => {
  it('accepts a request that is shown', () => {
    expect(compared(shown())).toEqual([]);
  });

  const answer = (...content: readonly JsonObject[]): JsonObject => ({ role: 'assistant', content });
  const thinking = { type: 'thinking', thinking: 'A look helps.' };
  const call = (input: JsonObject): JsonObject => ({ type: 'toolCall', id: 'toolu_1', name: 'Read', arguments: input });
  const right = call({ file_path: 'a.txt' });

  it.each<[string, Readonly<Record<number, JsonObject | null>>]>([
    ['a prompt is missing', { 0: null }],
    ['a prompt has other words', { 0: { role: 'user', content: 'Look at that.' } }],
    ['a prompt is said by the model', { 0: answer(text('Look at it.')) }],
    ['a reminder is missing', { 1: null }],
    ['a reminder has words that were not sent', { 1: { role: 'user', content: [text('The skill is called row')] } }],
    ['a reminder is empty', { 1: { role: 'user', content: [text('')] } }],
    ['an answer is missing', { 2: null }],
    ['thinking is missing', { 2: answer(text('I look.'), right) }],
    ['words of the model are missing', { 2: answer(thinking, right) }],
    ['a call is missing', { 2: answer(thinking, text('I look.')) }],
    ['a call has other arguments', { 2: answer(thinking, text('I look.'), call({ file_path: 'b.txt' })) }],
    ['the blocks of an answer are in another order', { 2: answer(thinking, right, text('I look.')) }],
    ['a result is missing', { 3: null }],
    ['a result is of another call', { 3: { role: 'toolResult', toolCallId: 'toolu_2', content: [text('one')] } }],
    ['a result has other words', { 3: { role: 'toolResult', toolCallId: 'toolu_1', content: [text('two')] } }],
    ['a reminder after a result is missing', { 4: null }],
    ['an image is missing', { 5: { role: 'user', content: [text('And this?')] } }],
    [
      'an image is another one',
      { 5: { role: 'user', content: [{ type: 'image', mimeType: 'image/png', data: 'BBBB' }, text('And this?')] } },
    ],
    [
      'the last prompt is missing',
      { 5: { role: 'user', content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] } },
    ],
  ])('fails where %s', (_, change) => {
    expect(compared(shown(change))).not.toEqual([]);
  });

  it('fails where a message was not sent', () => {
    const { cached } = shown()['messages'] as { cached: readonly JsonObject[] };
    const more = {
      messages: { cached: [...cached, { role: 'user', content: [text('Printed by a hook.')] }], uncached: [] },
    };
    expect(compared(more)).toHaveLength(1);
  });

  it('asks for the words and for the order of reminders that are recorded', () => {
    expect(compared(shown(), { reminders: 'words' })).not.toEqual([]);
    expect(compared(shown(), { reminders: 'ordered' })).not.toEqual([]);
  });

  it('allows as many reminders at the beginning as no record has, and no more', () => {
    const allowed: Unrecorded = { reminders: 'data', firstReminders: 1 };
    expect(compared(shown({ 1: null }), allowed)).toEqual([]);
    expect(compared(shown({ 4: null }), allowed)).not.toEqual([]);
  });

  it('names the kind and the size of a block, and none of its words', () => {
    expect(compared(shown({ 1: null })).join('\n')).toMatch(
      /^only sent: user reminder of 40 characters \([\da-f]{8}\)$/,
    );
  });
});

describe('the comparison of a request of Codex', () => {
  const BODY = {
    instructions: 'You are careful.\nYou are kind.',
    input: [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] }],
  };
  const sent = openaiPieces(BODY);
  const envelope = (compiled: string, system: string, role = 'developer'): JsonObject => ({
    session: { agent: { parts: { system } } },
    system: { compiled },
    messages: { cached: [{ role: 'user', sentRole: role, content: [text('Be brief.')] }], uncached: [] },
  });
  const compare = (shownAs: JsonObject): readonly string[] =>
    differences(sent, shownRequest(shownAs, sent), { reminders: 'ordered' });

  it('accepts approximate instructions with every line that was sent, and no others', () => {
    expect(compare(envelope('You are careful.\nYou plan.\nYou are kind.', 'approximate'))).toEqual([]);
    expect(compare(envelope('You are careful.\nYou plan.', 'approximate'))).not.toEqual([]);
    expect(compare(envelope('You are careful.\nYou plan.\nYou are kind.', 'recorded'))).not.toEqual([]);
  });

  it('fails where a message has another role', () => {
    expect(compare(envelope(BODY.instructions, 'recorded'))).toEqual([]);
    expect(compare(envelope(BODY.instructions, 'recorded', 'user'))).not.toEqual([]);
  });
});
