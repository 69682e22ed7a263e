import { describe, expect, it } from 'vitest';
import { applyDiff, diffEnvelopes, type FindSource, isEmptyDiff } from '#analysis/diff/envelope-diff.js';
import type { ItemChange } from '#analysis/diff/list-diff.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system-messages.js';

type Messages = EnvelopeContent['messages']['cached'];
const content = (rest: Partial<EnvelopeContent>): EnvelopeContent => ({ ...EMPTY_ENVELOPE, ...rest });
const kinds = (changes: readonly ItemChange<unknown>[]): readonly string[] => changes.map(({ kind }) => kind);

describe('a part', () => {
  const parts = (...list: EnvelopeContent['system']['parts']): EnvelopeContent => setParts(EMPTY_ENVELOPE, list);
  const change = (before: EnvelopeContent, after: EnvelopeContent) => kinds(diffEnvelopes(before, after).parts);

  it('is known by its name, or by its text', () => {
    const [one, other] = [
      { name: 'a', text: 'A' },
      { name: 'b', text: 'B' },
    ];
    expect(change(parts(one), parts({ ...one, text: 'C' }))).toEqual(['changed']);
    expect(change(parts(one), parts({ ...one, name: 'c' }))).toEqual(['changed']);
    expect(change(parts(one), parts(other))).toEqual(['removed', 'added']);
    expect(change(parts(one, other), parts(other, { ...one, text: 'C' }))).toEqual(['changed']);
  });
});

describe('a tool', () => {
  const tools = (...list: readonly object[]): EnvelopeContent => content({ tools: list as EnvelopeContent['tools'] });
  const change = (before: EnvelopeContent, after: EnvelopeContent) => kinds(diffEnvelopes(before, after).tools);

  it('is known by its name, or by all the rest', () => {
    const one = { name: 'a', description: 'A', parameters: { x: 1, y: 2 } };
    expect(change(tools(one), tools({ ...one, description: 'B' }))).toEqual(['changed']);
    expect(change(tools(one), tools({ ...one, name: 'b' }))).toEqual(['changed']);
    expect(change(tools(one), tools({ parameters: { y: 2, x: 1 }, description: 'A', name: 'b' }))).toEqual(['changed']);
    expect(change(tools(one), tools({ ...one, name: 'b', description: 'B' }))).toEqual(['removed', 'added']);
    expect(change(tools(one), tools({ parameters: one.parameters, name: 'a', description: 'A' }))).toEqual(['changed']);
  });
});

describe('a message', () => {
  const cached = (...list: Messages): EnvelopeContent => content({ messages: { cached: list, uncached: [] } });
  const uncached = (...list: Messages): EnvelopeContent => content({ messages: { cached: [], uncached: list } });
  const text = (words: string) => ({ type: 'text', text: words });
  const user = (said: unknown): Messages[number] => ({ role: 'user', content: said });

  it.each<readonly [string, Messages[number], Messages[number], boolean]>([
    ['a message that was edited', user('one two three'), user('one two four'), true],
    ['a message of other words', user('one two three'), user('four five'), false],
    ['a message of another role', user('one two three'), { role: 'assistant', content: 'one two three' }, false],
    ['the same words as a block', user('one two three'), user([text('one two three')]), true],
    ['edited words in a block', user([text('one two three')]), user([text('one two four')]), true],
    ['other words in a block', user([text('one')]), user([text('four five')]), false],
    ['words in two blocks', user('one\ntwo'), user([text('one'), text('two')]), true],
    [
      'blocks with the same beginning',
      user([text('one two'), { type: 'image' }]),
      user([text('one two'), { x: 1 }]),
      true,
    ],
    ['blocks that are no texts', user([{ type: 'image', data: 'a' }]), user([{ type: 'image', data: 'b' }]), true],
    ['blocks that are nothing alike', user([{ type: 'image' }]), user([{ x: 1 }]), false],
    ['content that is no list', user({ a: 'one two' }), user({ a: 'one four' }), true],
    ['content that is another object', user({ a: 'one two' }), user('four'), false],
    ['content that is none', user(null), user(null), true],
  ])('is taken for another one, or not: %s', (_, before, after, isOne) => {
    const same = JSON.stringify(before) === JSON.stringify(after);
    const expected = same ? [] : isOne ? ['changed'] : ['removed', 'added'];
    expect(kinds(diffEnvelopes(cached(before), cached(after)).cached)).toEqual(expected);
    expect(kinds(diffEnvelopes(uncached(before), uncached(after)).uncached)).toEqual(expected);
  });

  it('is known by where it comes from, if anybody knows', () => {
    const sources: readonly string[] = ['x', 'y'];
    const sourceOf: FindSource = ({ content: said }) => sources.find((source) => String(said).startsWith(source));
    const [before, after] = [
      cached(user('x 12345'), user('other')),
      cached(user('new'), user('other'), user('x abcdef')),
    ];
    expect(kinds(diffEnvelopes(before, after, sourceOf).cached)).toEqual(['added', 'changed']);
    expect(kinds(diffEnvelopes(before, after).cached)).toEqual(['removed', 'added', 'added']);
  });
});

describe('an option', () => {
  const options = (set: EnvelopeContent['options']): EnvelopeContent => content({ options: set });
  const between = (before: object, after: object) =>
    diffEnvelopes(options(before as EnvelopeContent['options']), options(after as EnvelopeContent['options']));

  it('is set, unset or another one, and else left out', () => {
    const before = { a: 1, b: { x: 1, y: 2 }, c: 3, d: null };
    const after = { f: null, b: { y: 2, x: 1 }, c: 4, a: 1 };
    const diff = between(before, after);
    expect(diff.options).toEqual([
      { name: 'c', before: 3, after: 4 },
      { name: 'd', before: null },
      { name: 'f', after: null },
    ]);
    expect(Object.keys(applyDiff(options(before as EnvelopeContent['options']), diff).options)).toEqual([
      'a',
      'b',
      'c',
      'f',
    ]);
  });
});

it('only what differs nowhere is the same', () => {
  const nothing = diffEnvelopes(EMPTY_ENVELOPE, EMPTY_ENVELOPE);
  expect(isEmptyDiff(nothing)).toBe(true);
  for (const name of ['parts', 'tools', 'options', 'cached', 'uncached'] as const)
    expect(isEmptyDiff({ ...nothing, [name]: [{ kind: 'moved', from: 0, to: 1, item: {} }] })).toBe(false);
});
