import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { envelopeAt } from '#context/envelope-at.js';
import type { EnvelopeContent, SystemPart } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { applySystemMessage, hasPrompt, setPart, setParts } from '#context/replay/system-messages.js';
import { Log } from '../fixtures/log.js';
import { opened } from '../support/entries.js';
import { withRealPi } from '../support/real-pi.js';

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
      'other sections that look like numbers in the order of their coming',
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
    const start = setParts(EMPTY_ENVELOPE, [own]);
    const both = [{ sections: { a: '1' } }, { content: 'A' }].reduce(applySystemMessage, start);
    expect(both.system.parts.map(({ name }) => name)).toEqual(['own', 'content', 'a']);
    expect(both.system.compiled).toBe('O\n\nA\n\n1');
    const replaced = applySystemMessage(start, { sections: { own: '1' } });
    expect(replaced.system.parts).toEqual([{ name: 'own', text: '1', separator: '\n\n' }]);
    const emptied = setParts(EMPTY_ENVELOPE, [{ name: 'content', text: '', kind: 'content' }]);
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
    expect(setParts(EMPTY_ENVELOPE, all).system).toEqual({ parts: all, compiled: 'AB---C' });
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

  it('are kept by Pi without a name too, and are identical without a declaration', () => {
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

/** System messages by their times; whether Pi makes a prompt of them, and what that says. */
const TIMES: readonly (readonly [what: string, messages: readonly JsonObject[], compiled: string])[] = [
  ['no time', [{ content: 'A' }], ''],
  ['no time, several times over', [{ content: 'A' }, { sections: { b: 'B' } }], ''],
  ['a time', [{ content: 'A', timestamp: 5 }], 'A'],
  ['a time of 0, which is one', [{ content: 'A', timestamp: 0 }], 'A'],
  ['a time that is a text', [{ content: 'A', timestamp: 'noon' }], 'A'],
  ['a time that is false', [{ content: 'A', timestamp: false }], 'A'],
  ['a time of null', [{ content: 'A', timestamp: null }], 'A'],
  ['a time of null and then none', [{ content: 'A', timestamp: null }, { content: 'B' }], ''],
  ['a time of null after none', [{ content: 'A' }, { content: 'B', timestamp: null }], 'A\n\nB'],
  ['a time in one of them', [{ content: 'A' }, { content: 'B', timestamp: 5 }, { content: 'C' }], 'A\n\nB\n\nC'],
  ['no time but a tool', [{ content: 'A', toolsAdded: [{ name: 'read' }] }], 'A'],
  [
    'no time and no tool left',
    [{ content: 'A', toolsAdded: [{ name: 'read' }] }, { toolsRemoved: [{ name: 'read' }] }],
    '',
  ],
];

describe('the time of system messages', () => {
  it.each(TIMES)('decides whether they are a prompt: %s', async (_what, messages, compiled) => {
    expect(hasPrompt(messages)).toBe(compiled !== '');
    const log = new Log('times');
    for (const [at, message] of messages.entries())
      log.entry(`s${at}`, 'message', { message: { role: 'system', ...message } });
    const session = await opened(log.user('u1', 'Hello').text());
    expect(envelopeAt(session).system.compiled).toBe(compiled);
    const baseline = { parts: [{ name: 'rules', text: 'From a baseline.' }] };
    expect(envelopeAt(session, 'HEAD', { baseline }).system.compiled).toBe(compiled || 'From a baseline.');
  });

  it('goes with the checkpoint of a compaction, also behind a transform that says the same', async () => {
    const stated = { role: 'system', content: 'A' };
    const part = { op: 'system_part_set', partName: 'own', text: 'O', scope: 'cached', invalidateCacheReason: 'test' };
    const log = new Log('checkpoint')
      .entry('s1', 'message', { message: { ...stated, timestamp: 5 } })
      .transform('t1', 'test', [part])
      .user('u1', 'Hello')
      .compaction('k1', 'all', 'u1', { systemMessage: stated });
    const session = await log.open();
    expect(envelopeAt(session, 'u1').system.compiled).toContain('A');
    expect(envelopeAt(session).system.compiled).not.toContain('A');
  });
});

withRealPi('real Pi', () => {
  it.each(TIMES)('makes the same prompt: %s', async (_what, messages, compiled) => {
    const { getCurrentSystemPrompt } = await import('../pi/pi-ai.mjs');
    const all = messages.map((message) => ({ role: 'system', content: '', ...message }));
    expect(getCurrentSystemPrompt(all)).toBe(compiled);
  });
});
