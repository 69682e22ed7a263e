import { describe, expect, it } from 'vitest';
import type { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { readContentText } from '#change/compact/content-text.js';
import { estimateMessages, sumEstimates } from '#change/compact/estimate.js';
import { type FileOps, readFileOps, toFileLists } from '#change/compact/file-ops.js';
import type { ProjectedEntry } from '#change/compact/projection.js';
import { compactionSettings } from '#change/compact/settings.js';
import { serializeConversation } from '#change/compact/summarizers/prompts.js';
import { joinSystemMessages } from '#change/compact/system-message.js';
import type { LlmMessage } from '#context/replay/content.js';
import { type StoredMessage, toMessage } from '#session/entry.js';
import { sessionOf, user } from '../../support/entries.js';

const [HEAD] = [...sessionOf(user('u1', null)).tree.heads];

function entryOf(...messages: readonly StoredMessage[]): ProjectedEntry {
  if (!HEAD) throw new Error('no entry');
  return { head: HEAD, messages, isMade: false };
}

const IMAGE = { type: 'image', data: 'aWI=', mimeType: 'image/png' };
const text = (words: unknown): object => ({ type: 'text', text: words });

describe('the estimated tokens of a message', () => {
  it.each<readonly [message: StoredMessage, tokens: number]>([
    [{ role: 'user', content: '12345' }, 2],
    [{ role: 'user', content: [text('1234'), text('12345'), text(7), IMAGE, { type: 'odd', text: '1234' }] }, 1203],
    [{ role: 'user', content: null }, 0],
    [{ role: 'custom', content: [IMAGE] }, 1200],
    [{ role: 'toolResult', content: [text('12345678')] }, 2],
    [{ role: 'assistant', content: [text('1234'), { type: 'thinking', thinking: '1234' }] }, 2],
    [{ role: 'assistant', content: [{ type: 'toolCall', name: 'read', arguments: {} }] }, 2],
    [{ role: 'assistant', content: [IMAGE] }, 0],
    [{ role: 'system', content: '1234', sections: { a: '1234', b: null, c: '5' }, toolsAdded: [{ name: 'x' }] }, 6],
    [{ role: 'system', content: [text('1234')], sections: 'none' }, 1],
    [{ role: 'bashExecution', command: 'ls', output: '1234' }, 2],
    [{ role: 'bashExecution', command: 'ls' }, 1],
    [{ role: 'branchSummary', summary: '12345' }, 2],
    [{ role: 'compactionSummary', summary: '12345' }, 2],
    [{ role: 'compactionSummary', content: '12345' }, 0],
    [toMessage({ role: 'mystery', content: '12345', summary: '12345', command: '12345' }), 0],
  ])('%j: %i', (message, tokens) => {
    expect(sumEstimates([entryOf(message)])).toBe(tokens);
    expect(sumEstimates([entryOf(message, message), entryOf(), entryOf(message)])).toBe(3 * tokens);
  });

  it('are those of a provider up to the newest answer that has some', () => {
    const said = { role: 'user', content: '1234' } as const;
    const answer = (totalTokens: number, fields: object = {}): StoredMessage => ({
      role: 'assistant',
      content: [],
      usage: { totalTokens },
      ...fields,
    });
    const entries = [
      entryOf(said),
      entryOf(answer(50)),
      entryOf(said),
      entryOf(answer(70)),
      entryOf(said),
      entryOf(answer(0)),
      entryOf(said),
    ];
    expect(estimateMessages(entries)).toEqual({ tokens: 72, source: entries[3], usage: answer(70) });
    const [first] = entries;
    expect(estimateMessages(first ? [first] : [])).toEqual({ tokens: 1, source: null, usage: null });
    const failed = [
      entryOf(answer(50)),
      entryOf(answer(70, { stopReason: 'error' })),
      entryOf(answer(70, { stopReason: 'aborted' })),
    ];
    expect(estimateMessages(failed)).toMatchObject({ tokens: 50 });
    expect(estimateMessages([entryOf(said, answer(9), said)])).toMatchObject({ tokens: 9, usage: answer(9) });
  });
});

describe('the files of a conversation', () => {
  const call = (name: string, path: unknown): JsonObject => ({ type: 'toolCall', name, arguments: { path } });
  const plain = ({ read, written, edited }: FileOps): readonly (readonly string[])[] => [
    [...read],
    [...written],
    [...edited],
  ];

  it('are those that calls name, by what they do', () => {
    const content = [
      call('read', 'a'),
      call('write', 'b'),
      call('edit', 'c'),
      call('bash', 'd'),
      call('read', ''),
      call('edit', 7),
    ];
    const odd = [
      { type: 'toolCall', name: 'read' },
      { type: 'toolCall', name: 'read', arguments: 'e' },
      { ...call('read', 'f'), type: 'text' },
    ];
    const messages: readonly StoredMessage[] = [
      { role: 'assistant', content: [...content, ...odd] },
      { role: 'user', content: [call('read', 'g')] },
    ];
    expect(plain(readFileOps(messages, null))).toEqual([['a'], ['b'], ['c']]);
  });

  it('are also those of calls that scripts made, and those that were known before', () => {
    const result: StoredMessage = {
      role: 'toolResult',
      content: [call('read', 'no')],
      nestedCalls: { calls: [call('read', 'a'), call('edit', 'b')] },
    };
    const details = { readFiles: ['old', 7], modifiedFiles: ['mine', null] };
    expect(plain(readFileOps([result, { role: 'toolResult', nestedCalls: 'none' }], details))).toEqual([
      ['old', 'a'],
      [],
      ['mine', 'b'],
    ]);
    expect(plain(readFileOps([], { readFiles: 'old', modifiedFiles: null }))).toEqual([[], [], []]);
    expect(plain(readFileOps([], 'read'))).toEqual([[], [], []]);
  });

  it('are listed once, in order: those that were changed, and the others', () => {
    const files = { read: new Set(['z', 'b', 'a', 'c']), written: new Set(['y', 'b']), edited: new Set(['c', 'b']) };
    expect(toFileLists(files)).toEqual({ read: ['a', 'z'], modified: ['b', 'c', 'y'] });
  });
});

describe('a conversation as text', () => {
  it.each<readonly [message: LlmMessage, words: string]>([
    [{ role: 'user', content: [text('a'), IMAGE, text('b')] }, '[User]: ab'],
    [{ role: 'user', content: '' }, ''],
    [{ role: 'assistant', content: [text('a'), text('b')] }, '[Assistant]: a\nb'],
    [{ role: 'assistant', content: [text('')] }, '[Assistant]: '],
    [
      { role: 'assistant', content: [{ type: 'toolCall', name: 'x', arguments: { a: 1, b: [null] } }] },
      '[Assistant tool calls]: x(a=1, b=[null])',
    ],
    [{ role: 'assistant', content: [{ type: 'toolCall', name: 7, arguments: 'none' }] }, '[Assistant tool calls]: 7()'],
    [{ role: 'toolResult', content: [text('a'), text('b')] }, '[Tool result]: ab'],
    [
      { role: 'toolResult', content: 'x'.repeat(2001) },
      `[Tool result]: ${'x'.repeat(2000)}\n\n[... 1 more characters truncated]`,
    ],
    // Half of a character at the end was no pair before either.
    [
      { role: 'toolResult', content: `${'x'.repeat(1999)}\ud83dx` },
      `[Tool result]: ${'x'.repeat(1999)}\ud83d\n\n[... 1 more characters truncated]`,
    ],
    [
      { role: 'toolResult', content: `${'x'.repeat(1998)}🙂x` },
      `[Tool result]: ${'x'.repeat(1998)}🙂\n\n[... 1 more characters truncated]`,
    ],
    [
      { role: 'toolResult', content: `${'x'.repeat(2000)}🙂` },
      `[Tool result]: ${'x'.repeat(2000)}\n\n[... 2 more characters truncated]`,
    ],
  ])('%j', (message, words) => {
    expect(serializeConversation([message])).toBe(words);
  });

  it('leaves out images, and texts that are none', () => {
    expect(readContentText([text('a'), text(7), { type: 'odd', text: 'b' }, text('c')])).toBe('a\n\nc');
    expect(readContentText(null)).toBe('');
  });
});

describe('one system message for all of them', () => {
  const system = (fields: object): StoredMessage => ({ role: 'system', ...fields });
  it('is none where there is none', () => {
    expect(joinSystemMessages([{ role: 'user', content: 'Hello' }])).toBeNull();
  });

  it('omits what is not stated', () => {
    expect(joinSystemMessages([system({})])).toEqual({ role: 'system', content: '', timestamp: 0 });
    const removed = [
      system({ content: 'A', timestamp: 7, sections: { a: '1' }, toolsAdded: [{ name: 'x' }] }),
      system({ timestamp: 8, sections: { a: null }, toolsRemoved: [{ name: 'x' }] }),
    ];
    expect(joinSystemMessages(removed)).toEqual({ role: 'system', content: 'A', timestamp: 7 });
  });

  it('says what they say together: texts one after the other, sections and tools by name', () => {
    const messages: readonly StoredMessage[] = [
      system({ content: 'A', sections: { a: '1', b: '2' }, toolsAdded: [{ name: 'x', v: 1 }, { name: 'y' }] }),
      { role: 'user', content: 'no', sections: { a: 'no' }, toolsAdded: [{ name: 'no' }] },
      system({
        content: [text('B'), text('C')],
        sections: { a: '3', c: '4' },
        toolsAdded: [{ name: 'x', v: 2 }, { name: 'z' }],
      }),
      system({ content: '', sections: 'none', toolsRemoved: [{ name: 'y' }, { name: 'none' }], timestamp: 9 }),
    ];
    expect(joinSystemMessages(messages)).toEqual({
      role: 'system',
      content: 'A\n\nB\nC',
      sections: { a: '3', b: '2', c: '4' },
      toolsAdded: [{ name: 'x', v: 2 }, { name: 'z' }],
      timestamp: 0,
    });
  });
});

describe("Pi's settings", () => {
  const MODEL = 'anthropic/claude-sonnet-4-5';
  it('are put together field by field, as deep as they go', () => {
    const own = {
      theme: 'dark',
      compaction: { reserveTokens: 1, modelOverrides: { [MODEL]: { reserveTokens: 5 }, other: { reserveTokens: 9 } } },
    };
    const project = {
      compaction: { reserveTokens: 2, modelOverrides: { [MODEL]: { keepRecentTokens: 0 } } },
    };
    expect(compactionSettings([own, project], MODEL)).toEqual({
      enabled: true,
      reserveTokens: 5,
      keepRecentTokens: 0,
    });
    expect(compactionSettings([own, null, 'odd', project], null)).toEqual({
      enabled: true,
      reserveTokens: 2,
      keepRecentTokens: 20_000,
    });
    expect(compactionSettings([own, { compaction: 'none' }], MODEL)).toEqual({
      enabled: true,
      reserveTokens: 16_384,
      keepRecentTokens: 20_000,
    });
    expect(compactionSettings([{ compaction: 'none' }, { compaction: { enabled: false } }], MODEL).enabled).toBe(false);
    expect(compactionSettings([{ compaction: { enabled: null } }], MODEL).enabled).toBe(true);
    expect(compactionSettings([{ compaction: { enabled: 0, modelOverrides: 'none' } }], MODEL).enabled).toBe(false);
    expect(compactionSettings([{ compaction: { modelOverrides: {} } }], 'toString').reserveTokens).toBe(16_384);
  });

  it.each([
    [{ reserveTokens: -1 }, 'compaction.reserveTokens is -1, not a whole number, 0 or more'],
    [{ keepRecentTokens: 1e300 }, 'compaction.keepRecentTokens is 1e+300, not a whole number, 0 or more'],
    [{ modelOverrides: { [MODEL]: null } }, `compaction.modelOverrides["${MODEL}"] is null, not an object`],
    [
      { modelOverrides: { [MODEL]: { reserveTokens: '5' } } },
      `compaction.modelOverrides["${MODEL}"].reserveTokens is "5", not a whole number, 0 or more`,
    ],
  ])('are refused where Pi refuses them: %j', (compaction, what) => {
    const refused = (): unknown => compactionSettings([{ compaction }], MODEL);
    expect(refused).toThrow(`Pi's setting ${what}`);
    expect(refused).toThrow(
      expect.objectContaining({
        kind: 'input',
        hint: 'correct settings.json; Pi rejects it, too',
      } satisfies Partial<CtxError>),
    );
  });
});
