import { describe, expect, it } from 'vitest';
import { listObjects } from '#base/json.js';
import type { History } from '#change/prune/history.js';
import thinking from '#change/prune/strategies/thinking.js';
import { compaction, type Entry, entry } from '../../../support/entries.js';
import {
  asked,
  call,
  historyFrom,
  proposed,
  prunedBy,
  result,
  type Said,
  SAID,
  talk,
} from '../../../support/history.js';

const THOUGHT = { type: 'thinking', thinking: 'The parser comes first, since the rest builds on it.' };
const SIGNED = { ...THOUGHT, thinkingSignature: 'c2lnbmVk' };
const REDACTED = { ...SIGNED, thinking: '[Reasoning redacted]', redacted: true };

const ANTHROPIC = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-opus-4-5', stopReason: 'stop' };

function answer(id: string, content: readonly unknown[], rest: Entry = {}): Said {
  return [id, { role: 'assistant', content, ...ANTHROPIC, ...rest }];
}

/** An answer of a turn before the newest one, with the results of its calls. */
function old(content: readonly unknown[], rest: Entry = {}): History {
  const calls = Array.isArray(content) ? listObjects(content).filter(({ type }) => type === 'toolCall') : [];
  const results = calls.map(({ id }, at) => result(`r${at}`, String(id), 'text'));
  const end = answer('a9', [SAID]);
  return historyFrom(talk(asked('u1', 'Do it.'), answer('a1', content, rest), ...results, end, asked('u2', 'Go on.')));
}

/** What stays of such an answer; null where all of it does. */
function left(content: readonly unknown[], rest: Entry = {}): unknown {
  return proposed(thinking, old(content, rest))[0]?.changes[0]?.message?.['content'] ?? null;
}

describe('thinking', () => {
  it('leaves out all thinking of an answer of an earlier turn, redacted thinking too', () => {
    const history = old([SIGNED, SAID, REDACTED, call('c1', 'read', { path: 'a.ts' }), SIGNED, SAID]);
    const [proposal, ...others] = proposed(thinking, history);
    expect(others).toEqual([]);
    expect(proposal?.reason).toBe('anthropic accepts earlier turns without it, 1 turn old');
    const { content, ...rest } = proposal!.changes[0]!.message!;
    expect(content).toEqual([SAID, call('c1', 'read', { path: 'a.ts' }), SAID]);
    const { content: _, ...same } = history.items[1]!.message;
    expect(Object.entries(rest)).toEqual(Object.entries(same));
  });

  it.each([
    ['anthropic-messages', [SAID], [SAID]],
    ['bedrock-converse-stream', [SAID], [SAID]],
    ['mistral-conversations', [SAID], [SAID]],
    ['openai-completions', [SAID], [SAID]],
    ['openai-responses', null, [SAID]],
    ['openai-codex-responses', null, [SAID]],
    ['azure-openai-responses', null, [SAID]],
    ['google-generative-ai', null, [SAID]],
    ['google-gemini-cli', null, [SAID]],
    ['google-vertex', null, [SAID]],
    ['pi-messages', null, null],
    ['of-a-plugin', null, null],
  ])('knows what %s wants back', (api, signed, unsigned) => {
    expect(left([SIGNED, SAID], { api })).toEqual(signed);
    expect(left([THOUGHT, SAID], { api })).toEqual(unsigned);
  });

  it('keeps a reasoning item with the call that it led to, and leaves out what Pi never sends', () => {
    const item = { ...THOUGHT, thinkingSignature: '{"type":"reasoning","id":"rs_1","encrypted_content":"x"}' };
    const read = call('call_1|fc_1', 'read', {});
    const openai = { api: 'openai-responses', provider: 'openai' };
    expect(left([item, read], openai)).toBeNull();
    expect(left([item, THOUGHT, read], openai)).toEqual([item, read]);
    expect(proposed(thinking, old([item, THOUGHT, read], openai))[0]?.reason).toBe(
      'openai did not sign it, 1 turn old',
    );
    expect(left([THOUGHT, SAID, item, THOUGHT], openai), 'it would end with thinking').toBeNull();
  });

  it('keeps the details that an endpoint may want back', () => {
    const field = { ...THOUGHT, thinkingSignature: 'reasoning_content' };
    const details = { ...THOUGHT, thinkingSignature: '[{"type":"reasoning.encrypted","data":"x"}]' };
    expect(left([field, SAID], { api: 'openai-completions' })).toEqual([SAID]);
    expect(left([field, details, SAID], { api: 'openai-completions' })).toBeNull();
  });

  it('keeps the signatures of calls', () => {
    const signed = { ...call('c1', 'read', {}), thoughtSignature: 'c2ln' };
    expect(left([THOUGHT, signed], { api: 'google-generative-ai', provider: 'google' })).toEqual([signed]);
  });

  it('knows the API of answers that name only their provider', () => {
    expect(left([SIGNED, SAID], { api: undefined })).toEqual([SAID]);
    expect(left([SIGNED, SAID], { api: undefined, provider: 'google' })).toBeNull();
    expect(left([THOUGHT, SAID], { api: undefined, provider: 'google' })).toEqual([SAID]);
    expect(left([THOUGHT, SAID], { api: undefined, provider: 'openai' })).toBeNull();
  });

  it('never leaves an answer with nothing to say', () => {
    expect(left([SIGNED])).toBeNull();
    expect(left([SIGNED, { type: 'text', text: ' \n' }])).toBeNull();
    expect(left([SIGNED, call('c1', 'read', {})])).toEqual([call('c1', 'read', {})]);
  });

  it('proposes nothing that saves nothing', () => {
    expect(left([{ ...SIGNED, thinking: '' }, SAID])).toBeNull();
    expect(left([SAID])).toBeNull();
    expect(left('a text' as never)).toBeNull();
  });

  it('keeps the thinking of newer turns, and of what was edited before', () => {
    const history = historyFrom(
      talk(
        asked('u1', 'One.'),
        answer('a1', [SIGNED, SAID]),
        asked('u2', 'Two.'),
        answer('a2', [SIGNED, SAID]),
        asked('u3', 'Three.'),
        answer('a3', [SIGNED, SAID]),
      ),
    );
    const places = (options: Entry = {}): readonly unknown[] =>
      proposed(thinking, history, options).map(({ changes }) => changes[0]?.at);
    expect(places()).toEqual([1, 3]);
    expect(places({ afterTurns: 2 })).toEqual([1]);
    const frozen = history.items.map((item) => ({ ...item, isFrozen: true }));
    expect(proposed(thinking, { ...history, items: frozen })).toEqual([]);
  });

  it.each([
    ['a message while tools are at work', []],
    ['a message after an answer was broken off', [answer('a4', [SAID], { stopReason: 'aborted' })]],
    ['a message after an answer failed', [answer('a4', [], { stopReason: 'error' })]],
  ])('keeps the thinking of work that goes on with %s', (_name, between) => {
    const history = historyFrom(
      talk(
        asked('u1', 'One.'),
        answer('a1', [SIGNED, SAID]),
        asked('u2', 'Two.'),
        answer('a2', [SIGNED, call('c1', 'read', {})]),
        result('r1', 'c1', 'text'),
        ...between,
        asked('u3', 'Faster.'),
        answer('a3', [SIGNED, call('c2', 'read', {})]),
        result('r2', 'c2', 'text'),
      ),
    );
    expect(history.turns).toBe(3);
    expect(proposed(thinking, history).map(({ changes }) => changes[0]?.at)).toEqual([1]);
  });

  it('keeps the thinking of a turn that a compaction has cut in two', () => {
    const history = historyFrom([
      ...talk(asked('u1', 'One.'), answer('a1', [SIGNED, call('c1', 'read', {})]), result('r1', 'c1', 'text')),
      compaction('k1', 'r1', 'a1'),
      entry('message', 'a2', 'k1', { message: { role: 'assistant', ...ANTHROPIC, content: [SIGNED, SAID] } }),
    ]);
    expect(history.items.map(({ kind }) => kind)).toEqual([
      'compaction-summary',
      'assistant',
      'toolResult',
      'assistant',
    ]);
    expect(proposed(thinking, history)).toEqual([]);
  });

  it('has nothing left to do on what it has made', () => {
    const { history, decisions } = prunedBy(old([SIGNED, SAID, REDACTED, SAID]), [thinking]);
    expect(decisions).toHaveLength(1);
    expect(proposed(thinking, history)).toEqual([]);
  });
});
