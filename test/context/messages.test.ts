import { describe, expect, it } from 'vitest';
import { readDisplay } from '#context/replay/applied-changes.js';
import { applyEdit } from '#context/replay/apply-edit.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText, readEntryMessage, toLlmMessage, toSummaryMessage } from '#context/replay/convert.js';
import { releaseMessage } from '#context/replay/released-message.js';
import { buildIdentitySlotFinder, buildSlotFinder } from '#context/replay/slot-finder.js';
import { mergeByIndex } from '#context/replay/slot-places.js';
import { isKnownRole, isKnownToAddNothing } from '#context/replay/unknown-entry.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { type StoredMessage, toMessage } from '#session/entry.js';

const TIME = '2026-03-02T09:00:00.000Z';
const AT = Date.parse(TIME);

describe('the message that an entry adds', () => {
  it.each<readonly [entry: StoredMessage, message: StoredMessage | null]>([
    [
      { type: 'message', message: { role: 'user', content: 'x', extra: 1 } },
      { role: 'user', content: 'x', extra: 1 },
    ],
    [{ type: 'message', message: 'x' }, null],
    [
      { type: 'message', message: { role: 'user' } },
      { role: 'user', content: [] },
    ],
    [
      { type: 'message', message: { role: 'assistant', content: null } },
      { role: 'assistant', content: [] },
    ],
    [
      { type: 'message', message: { role: 'toolResult', content: null } },
      { role: 'toolResult', content: [] },
    ],
    [
      { type: 'message', message: { role: 'system' } },
      { role: 'system', content: '' },
    ],
    [{ type: 'message', message: { role: 'custom' } }, { role: 'custom' }],
    [
      { type: 'message', message: { role: 'user', content: '' } },
      { role: 'user', content: '' },
    ],
    [
      { type: 'custom_message', customType: 'note', content: 'x', display: true, details: 7, timestamp: TIME },
      { role: 'custom', customType: 'note', content: 'x', display: true, details: 7, timestamp: AT },
    ],
    [
      { type: 'custom_message', timestamp: TIME },
      { role: 'custom', customType: undefined, content: [], display: undefined, details: undefined, timestamp: AT },
    ],
    [
      { type: 'branch_summary', summary: 'x', fromId: 'a1', timestamp: TIME },
      { role: 'branchSummary', summary: 'x', fromId: 'a1', timestamp: AT },
    ],
    [{ type: 'branch_summary', summary: '', fromId: 'a1', timestamp: TIME }, null],
    [{ type: 'compaction', summary: 'x', timestamp: TIME }, null],
    [{ type: 'label', message: { role: 'user', content: 'x' } }, null],
  ])('of %j is %j', (entry, message) => {
    expect(readEntryMessage(entry)).toStrictEqual(message);
  });

  it.each<readonly [role: string, content: unknown, after: unknown]>([
    ['user', 'new', 'new'],
    ['custom', 'new', 'new'],
    ['assistant', 'new', [{ type: 'text', text: 'new' }]],
    ['toolResult', 'new', [{ type: 'text', text: 'new' }]],
    ['toolResult', [{ type: 'image' }], [{ type: 'image' }]],
    ['user', undefined, undefined],
    ['bashExecution', 'new', 'old'],
    ['branchSummary', 'new', 'old'],
    ['system', 'new', 'old'],
  ])('%s, edited to %j', (role, content, after) => {
    const message = toMessage({ role, content: 'old', timestamp: 5 });
    expect(applyEdit(message, { content })).toStrictEqual({ role, content: after, timestamp: 5 });
    expect(applyEdit(message, null)).toBeNull();
  });

  it.each(['thinking_level_change', 'model_change', 'custom', 'label', 'session_info', 'usage', 'ephemeral'])(
    'is none by intent: %s',
    (type) => {
      expect(isKnownToAddNothing(type)).toBe(true);
    },
  );

  it('is none for lack of knowledge: of any other type', () => {
    expect(['message', 'mystery', '', null].map(isKnownToAddNothing)).toEqual([false, false, false, false]);
  });
});

describe('what a provider receives', () => {
  const text = (words: string): LlmMessage => ({
    role: 'user',
    content: [{ type: 'text', text: words }],
    timestamp: 5,
  });
  it.each<readonly [message: StoredMessage, sent: LlmMessage | null]>([
    [{ role: 'custom', content: 'x' }, text('x')],
    [
      { role: 'custom', content: [{ type: 'image' }] },
      { role: 'user', content: [{ type: 'image' }], timestamp: 5 },
    ],
    [
      { role: 'branchSummary', summary: 'x' },
      text('The following is a summary of a branch that this conversation came back from:\n\n<summary>\nx</summary>'),
    ],
    [
      { role: 'compactionSummary', summary: 'x' },
      text(
        'The conversation history before this point was compacted into the following summary:\n\n<summary>\nx\n</summary>',
      ),
    ],
    [{ role: 'bashExecution', command: 'ls', output: 'a.ts\n', exitCode: 0 }, text('Ran `ls`\n```\na.ts\n\n```')],
    [{ role: 'bashExecution', command: 'ls', output: '' }, text('Ran `ls`\n(no output)')],
    [{ role: 'bashExecution', command: 'ls', output: '', exitCode: null }, text('Ran `ls`\n(no output)')],
    [
      { role: 'bashExecution', command: 'ls', output: 'x', exitCode: 2 },
      text('Ran `ls`\n```\nx\n```\n\nCommand exited with code 2'),
    ],
    [
      { role: 'bashExecution', command: 'ls', output: 'x', exitCode: 2, cancelled: true },
      text('Ran `ls`\n```\nx\n```\n\n(command cancelled)'),
    ],
    [
      { role: 'bashExecution', command: 'ls', output: 'x', truncated: true, fullOutputPath: '/tmp/x' },
      text('Ran `ls`\n```\nx\n```\n\n[Output truncated. Full output: /tmp/x]'),
    ],
    [{ role: 'bashExecution', command: 'ls', output: 'x', truncated: true }, text('Ran `ls`\n```\nx\n```')],
    [{ role: 'bashExecution', command: 'ls', output: 'x', fullOutputPath: '/tmp/x' }, text('Ran `ls`\n```\nx\n```')],
    [{ role: 'bashExecution', command: 'ls', output: 'x', excludeFromContext: true }, null],
    [{ role: 'system', content: 'x' }, null],
    [toMessage({ role: 'mystery', content: 'x' }), null],
    [{ content: 'x' }, null],
  ])('of %j', (message, sent) => {
    expect(toLlmMessage({ ...message, timestamp: 5 })).toStrictEqual(sent);
    const role: unknown = message['role'];
    expect(isKnownRole(role)).toBe(role !== undefined && role !== 'mystery');
  });

  it.each(['user', 'assistant', 'toolResult'])('of %s is what it is', (role) => {
    const message = toMessage({ role, content: 'x', extra: [] });
    expect(toLlmMessage(message)).toBe(message);
    expect(isKnownRole(role)).toBe(true);
  });

  it('can be told for a summary from other messages', () => {
    const summary = toSummaryMessage('All\nof it.', 5);
    expect(findSummaryText(summary)).toBe('All\nof it.');
    expect(findSummaryText(toSummaryMessage('', 5))).toBe('');
    const [block] = summary.content as readonly { text: string }[];
    const words = block?.text ?? '';
    const others: readonly LlmMessage[] = [
      text('x'),
      { role: 'user', content: words },
      { role: 'user', content: [] },
      { role: 'user', content: [7] },
      { role: 'user', content: [block, block] },
      { role: 'assistant', content: [block] },
      text(words.slice(1)),
      text(words.slice(0, -1)),
      { role: 'user', content: [{ type: 'text', text: 7 }] },
    ];
    expect(others.map(findSummaryText)).toEqual(others.map(() => null));
  });

  it('is counted before it is let go, and what is left is edited and converted like it', () => {
    const usage = { usage: { totalTokens: 50 } };
    expect(releaseMessage({ role: 'user', content: '12345' }, BY_CHARACTERS)).toEqual({
      standIn: { role: 'user' },
      tokens: 2,
      weight: null,
      tool: null,
      recorded: null,
    });
    expect(releaseMessage({ role: 'assistant', content: [], ...usage }, BY_CHARACTERS)).toMatchObject({
      tokens: 0,
      recorded: 50,
    });
    const hidden = releaseMessage({ role: 'system', content: 'x' }, BY_CHARACTERS);
    expect(hidden).toEqual({ standIn: { role: null }, tokens: null, weight: null, tool: null, recorded: null });
    const [one, other] = ['a', 'b'].map((content) => releaseMessage({ role: 'user', content }, BY_CHARACTERS));
    expect(one?.standIn).toBe(other?.standIn);
  });
});

describe('what a transform says of itself', () => {
  it('is texts where there are to be texts, and anything else as it is', () => {
    const sound = { title: 'A', summary: 'B', markdown: 'C', more: 7 };
    expect(readDisplay(sound)).toEqual(sound);
    expect(readDisplay({ title: 7, summary: null, markdown: ['C'], more: null })).toEqual({ more: null });
  });
});

describe('the places of messages', () => {
  const slot = (index: number, name = ''): { readonly index: number; readonly name: string } => ({ index, name });

  it('are given back in order, each before the first one that lies further down', () => {
    const merged = (list: readonly number[], back: readonly number[]): readonly string[] =>
      mergeByIndex(
        list.map((index) => slot(index, 'l')),
        back.map((index) => slot(index, 'b')),
      ).map(({ index, name }) => `${name}${index}`);
    expect(merged([], [])).toEqual([]);
    expect(merged([], [3, 1])).toEqual(['b1', 'b3']);
    expect(merged([2, 4], [5, 1, 3])).toEqual(['b1', 'l2', 'b3', 'l4', 'b5']);
    expect(merged([9, 2, 4], [3, 1])).toEqual(['b1', 'b3', 'l9', 'l2', 'l4']);
    expect(merged([2], [2])).toEqual(['l2', 'b2']);
  });

  const message = (content: string): LlmMessage => ({ role: 'user', content });
  it('are found by the very message, or else by an equal one, each once and the first one first', () => {
    const [same, twin, other] = [message('x'), message('x'), message('y')];
    const slots = [
      { sent: twin, at: 0 },
      { sent: same, at: 1 },
      { sent: null, at: 2 },
      { sent: other, at: 3 },
      { sent: message('x'), at: 4 },
    ];
    const found = (...wanted: readonly LlmMessage[]): readonly unknown[] => {
      const find = buildSlotFinder(() => slots);
      return wanted.map((each) => find(each)?.at);
    };
    expect(found(same, same, same, same)).toEqual([1, 0, 4, undefined]);
    expect(found(message('x'), message('x'), same, same)).toEqual([0, 1, 4, undefined]);
    expect(found({ content: 'y', role: 'user' }, other, message('z'))).toEqual([3, undefined, undefined]);
  });

  it('are looked for in one list after another, each made when it is needed', () => {
    const made: string[] = [];
    const list =
      (name: string, ...contents: readonly string[]) =>
      () => {
        made.push(name);
        return contents.map((content) => ({ sent: message(content), name }));
      };
    const find = buildSlotFinder(list('first', 'x', 'y'), list('second', 'x'));
    expect([find(message('y'))?.name, find(message('x'))?.name]).toEqual(['first', 'first']);
    expect(made).toEqual(['first']);
    expect([find(message('x'))?.name, find(message('x'))?.name]).toEqual(['second', undefined]);
    expect(made).toEqual(['first', 'second']);
  });

  it('are found only by the identical message if none was rebuilt', () => {
    const kept = message('x');
    const find = buildIdentitySlotFinder([{ sent: kept }, { sent: null }]);
    expect(find(kept)).toEqual({ sent: kept });
    expect(find(message('x'))).toBeUndefined();
  });
});
