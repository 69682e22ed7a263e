import { describe, expect, it } from 'vitest';
import { listMessageFacts, type MessageFact } from '#analysis/loss/fact-classes.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toSummaryMessage } from '#context/replay/convert.js';

const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, name: string, args: object) => ({ type: 'toolCall', id, name, arguments: args });
const assistant = (...content: readonly object[]): LlmMessage => ({ role: 'assistant', content });
const result = (toolCallId: string, content: unknown, isError = false): LlmMessage => {
  return { role: 'toolResult', toolCallId, toolName: 'a_tool', content, isError };
};
const used = (name: string, args: object, content: string, isError = false): readonly LlmMessage[] => [
  assistant(call('c', name, args)),
  result('c', content, isError),
];

describe('what messages hold', () => {
  it.each<
    readonly [
      string,
      readonly LlmMessage[],
      readonly (readonly [MessageFact['class'], number, string, string | null, readonly string[]])[],
    ]
  >([
    [
      'instructions and corrections of a user, with the names in them',
      [{ role: 'user', content: 'Never touch `src/a.ts`. No, that is wrong. It rained.' }],
      [
        ['instructions', 0, 'Never touch `src/a.ts`.', 'Never touch `src/a.ts`.', ['src/a.ts']],
        ['corrections', 0, 'No, that is wrong.', 'No, that is wrong.', []],
      ],
    ],
    [
      'decisions of an assistant, and none of a user',
      [
        { role: 'user', content: 'Explain why we chose b.ts.' },
        assistant(text('I chose b.ts because it is short. It rained.')),
      ],
      [
        ['instructions', 0, 'Explain why we chose b.ts.', 'Explain why we chose b.ts.', ['b.ts']],
        ['decisions', 1, 'I chose b.ts because it is short.', 'I chose b.ts because it is short.', ['b.ts']],
      ],
    ],
    [
      'no instructions of an assistant or of a tool',
      [assistant(text('Read it.')), result('x', 'Never do it.')],
      [['results', 1, 'a_tool', null, []]],
    ],
    ['nothing that an earlier summary says', [toSummaryMessage('Never touch src/a.ts.', 0)], []],
    [
      'images and thoughts',
      [
        { role: 'user', content: [{ type: 'image', mimeType: 'image/png' }, { type: 'image' }] },
        assistant(
          { type: 'thinking', thinking: ' One\n two ' },
          { type: 'thinking', thinking: ' ' },
          { type: 'redacted', thinking: 'Hm.' },
          { type: 'thinking' },
        ),
      ],
      [
        ['images', 0, 'image/png', null, []],
        ['images', 0, 'an image', null, []],
        ['thinking', 1, 'One two', null, []],
      ],
    ],
    [
      'files that were read, with their results',
      used('read', { path: 'src/a.ts' }, 'text'),
      [
        ['reads', 0, 'src/a.ts', null, ['src/a.ts']],
        ['results', 1, 'read src/a.ts', null, ['src/a.ts']],
      ],
    ],
    [
      'files that were changed, whose results say nothing',
      used('edit', { path: 'src/a.ts' }, 'ok'),
      [['edits', 0, 'src/a.ts', null, ['src/a.ts']]],
    ],
    [
      'results of commands',
      used('bash', { command: 'npm\n test' }, 'ok'),
      [['results', 1, 'bash npm test', null, ['npm test']]],
    ],
    [
      'a file and a command together',
      used('run', { path: 'a.ts', command: 'node a.ts' }, 'ok'),
      [
        ['reads', 0, 'a.ts', null, ['a.ts', 'node a.ts']],
        ['results', 1, 'run a.ts', null, ['a.ts', 'node a.ts']],
      ],
    ],
    [
      'errors, and not what was tried',
      used('read', { path: 'src/a.ts' }, 'ENOENT: no such file src/b.ts', true),
      [
        [
          'errors',
          1,
          'read src/a.ts: ENOENT: no such file src/b.ts',
          'ENOENT: no such file src/b.ts',
          ['ENOENT', 'src/b.ts'],
        ],
      ],
    ],
    ['errors of what names nothing', used('ask', {}, 'panic', true), [['errors', 1, 'ask: panic', 'panic', []]]],
    [
      'calls that were never answered',
      [assistant(call('c', 'read', { path: 'a.ts' }), call('d', 'bash', { command: 'ls' }))],
      [['reads', 0, 'a.ts', null, ['a.ts']]],
    ],
    [
      'results without their calls',
      [assistant(text('Well.')), result('gone', 'x'), result('gone', 'fatal: no', true)],
      [
        ['results', 1, 'a_tool', null, []],
        ['errors', 2, 'a_tool: fatal: no', 'fatal: no', []],
      ],
    ],
  ])('%s', (_, messages, facts) => {
    expect(listMessageFacts(messages)).toMatchObject(
      facts.map(([factClass, at, said, quote, terms]) => ({ class: factClass, at, text: said, quote, terms })),
    );
  });

  it('is in their order, and cut to one line of 300 characters, but not what is looked for', () => {
    const long = `Never touch ${'very '.repeat(100)}old files.`;
    const path = `${'a/'.repeat(200)}b.ts`;
    const facts = listMessageFacts([
      ...used('read', { path }, 'x'),
      { role: 'user', content: long },
      ...used('bash', { command: path }, `fatal: ${path}`, true),
      assistant({ type: 'thinking', thinking: path }),
    ]);
    expect(facts.map(({ class: of, at, text: { length }, quote }) => [of, at, length, quote?.length ?? null])).toEqual([
      ['reads', 0, 300, null],
      ['results', 1, 300, null],
      ['instructions', 2, 300, long.length],
      ['errors', 4, 300, 7 + path.length],
      ['thinking', 5, 300, null],
    ]);
    expect(facts[0]?.terms).toEqual([path]);
  });
});
