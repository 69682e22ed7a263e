import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { assertPairsIntact } from '#change/plan/separated-pairs.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { Heads } from '#session/heads/heads.js';
import { buildTree } from '#session/tree/tree.js';

function calls(...ids: readonly unknown[]): LlmMessage {
  return { role: 'assistant', content: ids.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: {} })) };
}

function result(toolCallId: unknown): LlmMessage {
  return { role: 'toolResult', toolCallId, content: [] };
}

function assertIntact(before: readonly LlmMessage[], after: readonly LlmMessage[]): void {
  const session = { file: 's.jsonl', tree: buildTree(Heads.from([])) };
  assertPairsIntact({ session, entries: [], before: shown(before), after: shown(after) }, 'prune');
}

function shown(cached: readonly LlmMessage[]): EnvelopeContent {
  return { ...EMPTY_ENVELOPE, messages: { cached, uncached: [] } };
}

const SAID: LlmMessage = { role: 'user', content: 'x' };

describe('a change of the messages', () => {
  it.each<[string, readonly LlmMessage[], readonly LlmMessage[]]>([
    ['takes a call with its result', [SAID, calls('c1'), result('c1')], [SAID]],
    ['takes what else there is', [SAID, calls('c1'), result('c1'), SAID], [calls('c1'), result('c1')]],
    ['leaves a call without its result that had none', [SAID, calls('c1')], [calls('c1')]],
    ['leaves a result without its call that had none', [SAID, result('c1')], [result('c1')]],
    ['takes one of two results of a call', [calls('c1'), result('c1'), result('c1')], [calls('c1'), result('c1')]],
    ['takes a result that belongs to nothing', [calls('c1'), result('c1'), result(7)], [calls('c1'), result('c1')]],
    ['leaves a call that has no id', [calls('c1'), result('c1')], [calls(7), result(undefined)]],
    ['puts in what is no call', [], [{ role: 'assistant', content: [{ type: 'text', id: 'c1', text: 'x' }] }]],
    ['puts in what a user calls a call', [], [{ ...calls('c1'), role: 'user' }]],
    ['adds a second result', [calls('c1'), result('c1')], [calls('c1'), result('c1'), result('c1')]],
  ])('parts nothing if it %s', (_, before, after) => {
    expect(() => {
      assertIntact(before, after);
    }).not.toThrow();
  });

  it.each<[string, readonly LlmMessage[], readonly LlmMessage[], string]>([
    ['takes a result', [calls('c1'), result('c1')], [calls('c1')], '"c1" from its result'],
    ['takes a call', [calls('c1'), result('c1')], [result('c1')], '"c1" from its result'],
    ['puts a result before its call', [calls('c1'), result('c1')], [result('c1'), calls('c1')], '"c1" from its result'],
    [
      'takes several results',
      [calls('c1', 'c2', 'c3'), result('c1'), result('c2'), result('c3')],
      [calls('c1', 'c2', 'c3')],
      '"c1" from its result, and 2 more',
    ],
    [
      'takes one of several, of which one was open',
      [calls('c1', 'c2'), result('c2')],
      [calls('c1', 'c2')],
      '"c2" from its result',
    ],
  ])('is refused if it %s', (_, before, after, said) => {
    expect(() => {
      assertIntact(before, after);
    }).toThrow(
      new CtxError('refused', `this would separate the tool call ${said}`, {
        where: 's.jsonl',
        hint: 'change both or neither; --force writes it anyway, but most providers reject the next request',
      }),
    );
  });
});
