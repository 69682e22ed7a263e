import { describe, expect, it } from 'vitest';
import type { EnvelopeContent, SystemPart } from '../../src/context/content.js';
import { EMPTY_ENVELOPE } from '../../src/context/empty-envelope.js';
import { applySystemMessage, setPart, withParts } from '../../src/context/system.js';
import type { JsonObject } from '../../src/session/values.js';

function after(...messages: readonly JsonObject[]): EnvelopeContent {
  return messages.reduce(applySystemMessage, EMPTY_ENVELOPE);
}

/** Parts as `name: text`; the part in which content accumulates is marked. */
function parts(...messages: readonly JsonObject[]): readonly string[] {
  return after(...messages).system.parts.map(
    ({ name, kind, text }) => `${name}${kind === 'content' ? '*' : ''}: ${text}`,
  );
}

const sections = (of: JsonObject): JsonObject => ({ sections: of });

describe('what system messages say together', () => {
  it.each<readonly [what: string, messages: readonly JsonObject[], said: readonly string[]]>([
    ['nothing', [{}, { content: '' }, { content: null, sections: 'none' }], []],
    ['content one after another', [{ content: 'A' }, { content: 'B' }], ['content*: A\n\nB']],
    [
      'texts of blocks',
      [
        {
          content: [
            { type: 'text', text: 'A' },
            { type: 'image', text: 'no' },
            { type: 'text' },
            { type: 'text', text: 'B' },
          ],
        },
      ],
      ['content*: A\n\nB'],
    ],
    ['sections in their order', [sections({ a: '1', b: '2' }), sections({ b: '3', c: '4' })], ['a: 1', 'b: 3', 'c: 4']],
    ['no sections that were taken away', [sections({ a: '1', b: '2' }), sections({ a: null, x: null })], ['b: 2']],
    [
      'sections that come back, at the end',
      [sections({ a: '1', b: '2' }), sections({ a: null }), sections({ a: '3' })],
      ['b: 2', 'a: 3'],
    ],
    ['sections without a text', [sections({ a: 7 })], ['a: ']],
    ['content before all sections', [sections({ a: '1' }), { content: 'A' }], ['content*: A', 'a: 1']],
    [
      'content and a section of that name',
      [{ content: 'A', sections: { content: 'B' } }, sections({ content: 'C' })],
      ['content*: A', 'content: C'],
    ],
    [
      'content, whatever section of that name is taken away',
      [{ content: 'A', sections: { content: 'B' } }, sections({ content: null })],
      ['content*: A'],
    ],
    [
      'numbered sections first, as in an object',
      [{ content: 'A', sections: { b: '1', 10: '2' } }, sections({ 9: '3', a: '4', 11: '5' })],
      ['content*: A', '9: 3', '10: 2', '11: 5', 'b: 1', 'a: 4'],
    ],
    ['a section of zero before others', [sections({ 1: 'a', b: 'b' }), sections({ 0: 'c' })], ['0: c', '1: a', 'b: b']],
    [
      'but no others that look like numbers',
      [
        sections({ b: '1' }),
        sections({ '01': '2' }),
        sections({ '-1': '3' }),
        sections({ 4294967295: '4' }),
        sections({ 4294967294: '5' }),
      ],
      ['4294967294: 5', 'b: 1', '01: 2', '-1: 3', '4294967295: 4'],
    ],
  ])('is %s', (_what, messages, said) => {
    expect(parts(...messages)).toEqual(said);
  });

  it('stands behind what others have put there, and before sections', () => {
    const own = { name: 'own', text: 'O' };
    const start = withParts(EMPTY_ENVELOPE, [own]);
    const both = [{ sections: { a: '1' } }, { content: 'A' }].reduce(applySystemMessage, start);
    expect(both.system.parts.map(({ name }) => name)).toEqual(['own', 'content', 'a']);
    expect(both.system.compiled).toBe('O\n\nA\n\n1');
    const replaced = applySystemMessage(start, { sections: { own: '1' } });
    expect(replaced.system.parts).toEqual([{ name: 'own', text: '1', separator: '\n\n' }]);
    const emptied = withParts(EMPTY_ENVELOPE, [{ name: 'content', text: '', kind: 'content' }]);
    expect(applySystemMessage(emptied, { content: 'A' }).system.parts).toEqual([
      { name: 'content', text: 'A', kind: 'content' },
    ]);
  });

  it('is one text: every part that has one, each behind its separator', () => {
    const all: readonly SystemPart[] = [
      { name: 'none', text: '', separator: '---' },
      { name: 'a', text: 'A', separator: '---' },
      { name: 'none', text: '', separator: '---' },
      { name: 'b', text: 'B' },
      { name: 'c', text: 'C', separator: '---' },
    ];
    expect(withParts(EMPTY_ENVELOPE, all).system).toEqual({ parts: all, compiled: 'AB---C' });
  });

  it('gives the first part of a name another text, or has a part more', () => {
    const some = [
      { name: 'a', text: '1', separator: '-' },
      { name: 'b', text: '2' },
      { name: 'a', text: '3' },
    ];
    expect(setPart(some, { name: 'a', text: 'X', separator: '+' })).toEqual([
      { name: 'a', text: 'X', separator: '-' },
      ...some.slice(1),
    ]);
    expect(setPart(some, { name: 'c', text: 'X' })).toEqual([...some, { name: 'c', text: 'X' }]);
  });
});

describe('the tools that system messages declare', () => {
  const tool = (name: unknown, version = 1): JsonObject => ({ name, version });
  const tools = (...messages: readonly JsonObject[]): readonly unknown[] => [...after(...messages).tools];
  const first = { toolsAdded: [tool('read'), tool('bash')] };

  it('are added, replaced where they stand, and removed', () => {
    expect(tools(first)).toEqual([tool('read'), tool('bash')]);
    expect(tools(first, { toolsAdded: [tool('edit'), tool('read', 2)] })).toEqual([
      tool('read', 2),
      tool('bash'),
      tool('edit'),
    ]);
    expect(tools(first, { toolsRemoved: [tool('read'), tool('none')] })).toEqual([tool('bash')]);
    expect(tools(first, { toolsRemoved: [tool('read')], toolsAdded: [tool('read', 2)] })).toEqual([
      tool('bash'),
      tool('read', 2),
    ]);
  });

  it('are kept by Pi under no name too, and are the very same where nothing is said of them', () => {
    expect(tools({ toolsAdded: [{}, tool(7), 'read', tool('read'), { about: 1 }] })).toEqual([
      { about: 1, name: '' },
      { ...tool(7), name: '7' },
      tool('read'),
    ]);
    expect(tools({ toolsAdded: 'read', toolsRemoved: 'bash' })).toEqual([]);
    const before = after(first);
    expect(applySystemMessage(before, { content: 'A' }).tools).toBe(before.tools);
  });
});
