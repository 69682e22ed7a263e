import { describe, expect, it } from 'vitest';
import { findDivergence, measureDepth } from '#analysis/cache/divergence.js';
import type { Divergence } from '#analysis/cache/document.js';
import { buildPreamble, hasSameToolSet, type Prompt } from '#analysis/cache/prompt.js';
import type { LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { WireMessages } from '#context/request/wire-messages.js';

interface Sent {
  readonly tools?: readonly ToolDefinition[];
  readonly parts?: readonly SystemPart[];
  readonly messages?: readonly LlmMessage[];
}

/** A request of which each message comes from the entry `m` and its place. */
function promptOf({ tools = [], parts = [], messages = [] }: Sent): Prompt {
  const preamble = buildPreamble({ tools, system: { parts, compiled: '' } });
  const list = WireMessages.to({ provider: 'p', api: 'a', model: 'm' });
  list.append(messages.map((message, at) => ({ message, from: { entryId: `m${at}` } })));
  const made = list.buildMissingResults();
  const tokens = [...list.messages, ...made].reduce((sum, each) => sum + each.tokens, preamble.tokens);
  return {
    preamble,
    messages: list.messages,
    length: list.messages.length,
    generated: made,
    tokens,
    images: 0,
    firstImage: null,
  };
}

function between(before: Sent, after: Sent): Divergence | null {
  return findDivergence(promptOf(before), promptOf(after));
}

/** Canonical JSON of 32 characters: 8 tokens. */
const READ = { name: 'read', about: 'some file' };
const BASH = { name: 'bash', about: 'a command' };
const RULES = { name: 'rules', text: 'Be brief.', separator: '\n\n' };
const HELP = { name: 'help', text: 'You help ', separator: '\n\n' };

const user = (content: unknown): LlmMessage => ({ role: 'user', content });
const answer = (...content: readonly object[]): LlmMessage => ({
  role: 'assistant',
  provider: 'p',
  api: 'a',
  model: 'm',
  content,
});
const call = (id: string): object => ({ type: 'toolCall', id, name: 'read', arguments: {} });
const result = (toolCallId: string, text = 'fine'): LlmMessage => ({
  role: 'toolResult',
  toolCallId,
  toolName: 'read',
  content: [{ type: 'text', text }],
});

describe('the place where two requests part', () => {
  it('is a call whose arguments have their keys in another order', () => {
    const calls = (given: object): Sent => ({ messages: [answer({ ...call('c1'), arguments: given })] });
    expect(between(calls({ path: 'a', offset: 1 }), calls({ path: 'a', offset: 1 }))).toBeNull();
    expect(between(calls({ path: 'a', offset: 1 }), calls({ offset: 1, path: 'a' }))).toMatchObject({
      section: 'messages',
      block: 0,
      offset: '{"arguments":{"'.length,
    });
  });

  it('is nowhere where the one is the beginning of the other', () => {
    const all: Sent = { tools: [READ], parts: [HELP], messages: [user('one'), answer({ type: 'text', text: 'two' })] };
    expect(between(all, all)).toBeNull();
    expect(between(all, { ...all, messages: [...(all.messages ?? []), user('three')] })).toBeNull();
    expect(between({}, all)).toMatchObject({
      section: 'tools',
      index: 0,
      name: 'read',
      offset: 0,
      prefixTokensEstimated: 0,
    });
  });

  it.each<readonly [what: string, before: Sent, after: Sent, place: Partial<Divergence>]>([
    [
      'the first tool',
      { tools: [READ, BASH] },
      { tools: [{ ...READ, about: 'some fire' }, BASH] },
      { index: 0, name: 'read', offset: '{"about":"some fi'.length, prefixTokensEstimated: 5 },
    ],
    [
      'a tool behind others',
      { tools: [READ, BASH], parts: [HELP] },
      { tools: [READ], parts: [HELP] },
      { index: 1, name: 'bash', offset: 0, prefixTokensEstimated: 9 },
    ],
    [
      'a tool more',
      { tools: [READ] },
      { tools: [READ, BASH] },
      { index: 1, name: 'bash', offset: 0, prefixTokensEstimated: 9 },
    ],
  ])('is in the tools: %s', (_what, before, after, place) => {
    const everywhere = { section: 'tools', entryId: null, block: null };
    expect(between(before, after)).toEqual({ ...everywhere, ...place });
  });

  it.each<readonly [what: string, before: Sent, after: Sent, place: Partial<Divergence>]>([
    [
      'behind all tools',
      { tools: [READ], parts: [HELP, RULES] },
      { tools: [READ], parts: [HELP, { ...RULES, text: 'Be long.' }] },
      { index: 1, name: 'rules', offset: '\n\nBe '.length, prefixTokensEstimated: 9 + 3 + 2 },
    ],
    [
      'in what stands between parts',
      { parts: [HELP, RULES] },
      { parts: [HELP, { ...RULES, separator: '\n' }] },
      { index: 1, name: 'rules', offset: 1, prefixTokensEstimated: 4 },
    ],
    [
      'in a part that is left out',
      { parts: [HELP, RULES] },
      { parts: [HELP] },
      { index: 1, name: 'rules', offset: 0, prefixTokensEstimated: 3 },
    ],
    [
      'in a part more',
      { parts: [HELP] },
      { parts: [HELP, RULES] },
      { index: 1, name: 'rules', offset: 0, prefixTokensEstimated: 3 },
    ],
  ])('is in the system prompt: %s', (_what, before, after, place) => {
    const everywhere = { section: 'system', entryId: null, block: null };
    expect(between(before, after)).toEqual({ ...everywhere, ...place });
  });

  it('is not in parts that are not sent: those without text, and what would stand before the first one', () => {
    const empty = { name: 'none', text: '', separator: '\n\n' };
    expect(
      between({ parts: [empty, HELP, RULES] }, { parts: [{ ...HELP, separator: '---' }, empty, RULES] }),
    ).toBeNull();
    const bare = { name: 'rules', text: 'Be brief.' };
    expect(between({ parts: [HELP, bare] }, { parts: [HELP, { ...bare, separator: '' }] })).toBeNull();
    // Each is rounded up.
    expect(buildPreamble({ tools: [READ], system: { parts: [empty, HELP, RULES], compiled: '' } })).toEqual({
      tools: [{ name: 'read', text: '{"about":"some file","name":"read"}' }],
      system: [
        { name: 'help', text: 'You help ' },
        { name: 'rules', text: '\n\nBe brief.' },
      ],
      tokens: 9 + 5,
    });
  });

  const hello = { type: 'text', text: 'Hello' };
  it.each<
    readonly [what: string, before: readonly LlmMessage[], after: readonly LlmMessage[], place: Partial<Divergence>]
  >([
    [
      'a text',
      [user('one'), user('two 12345')],
      [user('one'), user('two 12399')],
      { index: 1, name: 'user', block: 0, offset: 7, prefixTokensEstimated: 1 + 1 },
    ],
    [
      'a text that was longer',
      [user('one, two')],
      [user('one')],
      { index: 0, name: 'user', block: 0, offset: 3, prefixTokensEstimated: 0 },
    ],
    [
      'a text that goes on',
      [user('12345678')],
      [user('123456789')],
      { index: 0, name: 'user', block: 0, offset: 8, prefixTokensEstimated: 2 },
    ],
    // Half of a character is no common beginning.
    [
      'a character of two code units',
      [user('a\u{1f600}')],
      [user('a\u{1f601}')],
      { index: 0, name: 'user', block: 0, offset: 1, prefixTokensEstimated: 0 },
    ],
    [
      'a later block',
      [user([hello, { type: 'text', text: 'all' }])],
      [user([hello, { type: 'text', text: 'any' }])],
      { index: 0, name: 'user', block: 1, offset: 1, prefixTokensEstimated: 1 },
    ],
    [
      'a block that is none of text, in its canonical JSON',
      [user([hello, { type: 'image', data: 'aaa' }])],
      [user([hello, { data: 'aab', type: 'image' }])],
      { index: 0, name: 'user', block: 1, offset: '{"data":"aa'.length, prefixTokensEstimated: 4 },
    ],
    [
      'a block less',
      [user([hello, hello])],
      [user([hello])],
      { index: 0, name: 'user', block: 1, offset: 0, prefixTokensEstimated: 1 },
    ],
    [
      'a block more',
      [user([hello])],
      [user([hello, hello])],
      { index: 0, name: 'user', block: 1, offset: 0, prefixTokensEstimated: 1 },
    ],
    [
      'a message less',
      [user('1234'), user('one')],
      [user('1234')],
      { index: 1, name: 'user', block: null, offset: 0, prefixTokensEstimated: 1 },
    ],
    [
      'another role',
      [user('1234'), user('one')],
      [user('1234'), answer({ type: 'text', text: 'one' })],
      { index: 1, name: 'user', block: null, offset: 0, prefixTokensEstimated: 1 },
    ],
    [
      'the result of another call',
      [answer(call('a')), result('a')],
      [answer(call('a')), result('b', 'finer')],
      { index: 1, name: 'toolResult', block: null, offset: 0, prefixTokensEstimated: 2 },
    ],
    [
      'what is no block',
      [answer(call('a')), result('a')],
      [answer(call('a')), { ...result('a'), isError: true }],
      { index: 1, name: 'toolResult', block: null, offset: 0, prefixTokensEstimated: 2 },
    ],
  ])('is in the messages: %s', (_what, before, after, place) => {
    const at = { section: 'messages', entryId: `m${place.index}` };
    expect(between({ messages: before }, { messages: after })).toEqual({ ...at, ...place });
    // Tools and system prompt stand before all messages.
    const preamble: Sent = { tools: [READ], parts: [HELP] };
    expect(between({ ...preamble, messages: before }, { ...preamble, messages: after })).toEqual({
      ...at,
      ...place,
      prefixTokensEstimated: (place.prefixTokensEstimated ?? 0) + 9 + 3,
    });
  });

  it('is at a result that was made up, and then came', () => {
    const asked = [user('1234'), answer(call('a'), call('b'))];
    const made = { section: 'messages', name: 'toolResult', entryId: null } as const;
    expect(between({ messages: asked }, { messages: asked })).toBeNull();
    expect(between({ messages: asked }, { messages: [...asked, result('a')] })).toEqual({
      ...made,
      index: 2,
      block: 0,
      offset: 0,
      prefixTokensEstimated: 1 + 3,
    });
    const half = [...asked, result('a')];
    expect(between({ messages: half }, { messages: [...half, result('b')] })).toMatchObject({ ...made, index: 3 });
    expect(between({ messages: asked }, { messages: [...asked, user('and?')] })).toBeNull();
  });

  it('is found in what is nested too deeply to be written', () => {
    let deep: object = {};
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    const tools = [READ, { name: 'dig', deep }];
    expect(between({ tools }, { tools })).toBeNull();
    expect(buildPreamble({ tools, system: { parts: [], compiled: '' } }).tools[1]?.text).toBe(
      'dig is nested too deeply',
    );
    const odd = (text: string): LlmMessage =>
      user([
        { type: 'odd', deep },
        { type: 'text', text },
      ]);
    expect(between({ messages: [odd('one')] }, { messages: [odd('two')] })).toMatchObject({
      index: 0,
      block: 1,
      offset: 0,
    });
  });
});

describe('what was sent', () => {
  it('lies the deeper, the later it is cached', () => {
    const place = { name: '', entryId: null, block: null, offset: 0, prefixTokensEstimated: 0 };
    const inOrder = [
      { ...place, section: 'tools', index: 0 },
      { ...place, section: 'tools', index: 9 },
      { ...place, section: 'system', index: 1 },
      { ...place, section: 'system', index: 2 },
      { ...place, section: 'messages', index: 0 },
      { ...place, section: 'messages', index: 100_000 },
      null,
    ] as const;
    const depths = inOrder.map(measureDepth);
    expect(depths).toEqual(depths.toSorted((one, other) => one - other));
    expect(new Set(depths).size).toBe(depths.length);
  });

  it('has its tools in another order, if it has the same ones', () => {
    const withTools = (...tools: readonly ToolDefinition[]) =>
      buildPreamble({ tools, system: { parts: [], compiled: '' } });
    expect(hasSameToolSet(withTools(READ, BASH), withTools(BASH, READ))).toBe(true);
    expect(hasSameToolSet(withTools(READ, BASH), withTools(BASH, { ...READ, about: 'others' }))).toBe(false);
    expect(hasSameToolSet(withTools(READ), withTools(READ, BASH))).toBe(false);
  });
});
