import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeUse } from '#change/prune/describe-use.js';
import {
  describeAge,
  describeHash,
  describeLocation,
  describeSize,
  describeTokens,
} from '#change/prune/message-notes.js';
import { describePart, FileReads, findReadRange, type ReadRange } from '#change/prune/read-ranges.js';
import { replaceTexts } from '#change/prune/shorter-messages.js';
import { findToolKind } from '#change/prune/tool-kinds.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Entry } from '../../support/entries.js';
import { asked, historyFrom, talk } from '../../support/history.js';
import { runs } from '../../support/runs.js';

describe('a note says', () => {
  it.each([
    ['', '1 line, 0 B'],
    ['a', '1 line, 1 B'],
    ['a\n', '1 line, 2 B'],
    ['a\nb', '2 lines, 3 B'],
    ['\n\n', '2 lines, 2 B'],
    ['é', '1 line, 2 B'],
    ['x'.repeat(999), '1 line, 999 B'],
    ['x'.repeat(1000), '1 line, 1.0 kB'],
    ['x'.repeat(9949), '1 line, 9.9 kB'],
    ['x'.repeat(9950), '1 line, 10 kB'],
    ['x'.repeat(12_600), '1 line, 13 kB'],
    ['x'.repeat(999_499), '1 line, 999 kB'],
    ['x'.repeat(999_500), '1 line, 1.0 MB'],
    ['x'.repeat(2_340_000), '1 line, 2.3 MB'],
  ])('how much text there is', (text, size) => {
    expect(describeSize(text)).toBe(size);
  });

  it.each([
    [0, '0 tokens'],
    [1, '1 token'],
    [2, '2 tokens'],
    [999, '999 tokens'],
    [1000, '1.0k tokens'],
    [9949, '9.9k tokens'],
    [9950, '10k tokens'],
    [123_456, '123k tokens'],
  ])('%i tokens as %s', (tokens, said) => {
    expect(describeTokens(tokens)).toBe(said);
  });

  it('how old something is, and where and what it was', () => {
    expect([0, 1, 2].map(describeAge)).toEqual(['0 turns old', '1 turn old', '2 turns old']);
    expect(describeHash('abc')).toBe('sha256 ba7816bf');
    const [item] = historyFrom(talk(asked('u1', 'Hi'))).items;
    expect(describeLocation(item!)).toBe('ctx cat the-session u1');
    const sessionId = '019b2f4e-1c3d-7f00-8000-00000000abcd';
    expect(describeLocation({ ...item!, sessionId })).toBe('ctx cat 019b2f4e-1c3d u1');
    expect(describeLocation({ ...item!, sessionId: '-f; rm' })).toBe('entry u1 of this session');
    expect(describeLocation({ ...item!, from: { ...item!.from, entryId: null } })).toBe(
      "line 2 of this session's file",
    );
  });

  it.each<[unknown, unknown]>([
    ['old', [{ type: 'text', text: 'new' }]],
    [[{ type: 'text', text: 'old', x: 1 }], [{ type: 'text', text: 'new', x: 1 }]],
    [
      [{ type: 'image' }, { type: 'text', text: 'a' }, 7, { type: 'text', text: 'b' }, null],
      [{ type: 'image' }, { type: 'text', text: 'new' }, 7, null],
    ],
    [[{ type: 'image' }], [{ type: 'image' }]],
    [undefined, [{ type: 'text', text: 'new' }]],
  ])('a text in the place of the first: %j', (content, after) => {
    const message = { role: 'user', content, timestamp: 5 } as LlmMessage;
    expect(replaceTexts(message, 'new')).toEqual({ role: 'user', content: after, timestamp: 5 });
  });
});

describe('a call is named', () => {
  const long = 'word '.repeat(40).trim();
  it.each<[string, Entry, string]>([
    ['read', { path: 'src/a.ts' }, 'read src/a.ts'],
    ['read', { file_path: 'a\n b' }, 'read a b'],
    ['read', {}, 'read'],
    ['bash', { command: ' npm\n test ' }, 'bash: npm test'],
    ['bash', { cmd: 'ls', path: 'x', pattern: 'y' }, 'bash: ls'],
    ['grep', { pattern: 'a "b"' }, 'grep "a \\"b\\""'],
    ['grep', { pattern: 'a', path: 'src' }, 'grep "a" in src'],
    ['grep', { pattern: 3, path: 'src' }, 'grep src'],
    ['search', { query: 'a', q: 'b' }, 'search "a"'],
    ['search', { q: 'b', url: 'c' }, 'search "b"'],
    ['fetch', { url: 'https://x.org' }, 'fetch "https://x.org"'],
    ['search', { pattern: '' }, 'search ""'],
    [' a\tname ', {}, 'a name'],
    ['n'.repeat(41), {}, `${'n'.repeat(38)} …`],
    ['n'.repeat(40), {}, 'n'.repeat(40)],
    ['bash', { command: 'c'.repeat(80) }, `bash: ${'c'.repeat(80)}`],
    ['bash', { command: 'c'.repeat(81) }, `bash: ${'c'.repeat(78)} …`],
    ['grep', { pattern: long }, `grep "${long.slice(0, 78)} …"`],
    ['read', { path: `${'d/'.repeat(39)}ab` }, `read ${'d/'.repeat(39)}ab`],
    ['read', { path: `${'d/'.repeat(39)}abc` }, `read …/${'d/'.repeat(37)}abc`],
    ['read', { path: 'x'.repeat(81) }, `read …/${'x'.repeat(78)}`],
    ['read', { path: `${'x'.repeat(10)}🌧${'x'.repeat(77)}` }, `read …/${'x'.repeat(77)}`],
  ])('%s with %j', (name, args, said) => {
    expect(describeUse({ name, args })).toBe(said);
  });

  it.each([
    ['mcp__files__Read_File', 'read'],
    ['files/cat', 'read'],
    ['files:view', 'read'],
    ['files.grep', 'search'],
    ['read_many_files', 'read'],
    ['open_text_file', 'read'],
    ['web_search_20250305', 'search'],
    ['list_directory', 'search'],
    ['listdir', 'search'],
    ['run_code', 'command'],
    ['runTerminal', 'command'],
    ['run_my_cmd', 'command'],
    ['exec', 'command'],
    ['zsh', 'command'],
    ['search_', 'other'],
    ['a_read', 'other'],
    ['reads', 'other'],
    ['read__', 'other'],
    [`${'x'.repeat(300)}.read`, 'read'],
    [`read${'.'.repeat(200)}`, 'other'],
  ])('%s is a %s', (name, kind) => {
    expect(findToolKind(name)).toBe(kind);
  });
});

describe('a read shows', () => {
  const notice = (text: string): string => `a\nb\n\n[${text}]`;
  it.each<[Entry, string, ReadRange | null]>([
    [{}, 'a', { first: 1, last: 1, isWhole: true }],
    [{}, 'a\n', { first: 1, last: 1, isWhole: true }],
    [{}, 'a\nb\n', { first: 1, last: 2, isWhole: true }],
    [{}, 'a\nb', { first: 1, last: 2, isWhole: true }],
    [{ offset: 1 }, 'a', { first: 1, last: 1, isWhole: true }],
    [{ offset: 0 }, 'a', { first: 1, last: 1, isWhole: true }],
    [{ offset: 5 }, 'a\nb', { first: 5, last: 6, isWhole: false }],
    [{ limit: 5 }, 'a\nb', { first: 1, last: 2, isWhole: false }],
    [{ offset: 5, limit: 9, path: 'x' }, 'a\nb', { first: 5, last: 6, isWhole: false }],
    [{ offset: '5' }, 'a', null],
    [{ limit: null }, 'a', null],
    [{ offset: Number.NaN }, 'a', null],
    [{ path: 'x', encoding: 'utf8' }, 'a', { first: 1, last: 1, isWhole: true }],
    [
      {},
      notice('Showing lines 1-2 of 60 (50.0KB limit). Use offset=3 to continue.'),
      { first: 1, last: 2, isWhole: false },
    ],
    [{ offset: 4 }, notice('20 more lines in file. Use offset=6 to continue.'), { first: 4, last: 5, isWhole: false }],
    [{}, notice('Line 2 is 60KB, exceeds limit'), { first: 1, last: 2, isWhole: false }],
    [{}, notice('many more lines in file'), { first: 1, last: 4, isWhole: true }],
    [{}, `${notice('20 more lines in file')}\n`, { first: 1, last: 4, isWhole: true }],
    [{}, notice(`20 more lines in file${'x'.repeat(1000)}`), { first: 1, last: 4, isWhole: true }],
    ...[
      'startLine',
      'end_line',
      'range',
      'from',
      'page',
      'section',
      'symbol',
      'lineOffset',
      'limits',
      'head',
      'tail',
      'chunk',
    ].map((key): [Entry, string, null] => [{ [key]: 1 }, 'a', null]),
  ])('with %j of %j: %j', (args, text, range) => {
    expect(findReadRange({ args, result: text })).toEqual(range);
  });

  it('is named unless it begins at the first line', () => {
    expect(describePart({ args: {}, result: 'a\nb' })).toBe('');
    expect(describePart({ args: { offset: 2 }, result: 'a\nb' })).toBe(' (lines 2-3)');
    expect(describePart({ args: { offset: 'x' }, result: 'a\nb' })).toBe('');
  });

  it('all that a later one shows, as a look at all of them says', () => {
    const range = fc
      .record({ first: fc.integer({ min: 1, max: 8 }), count: fc.integer({ min: 1, max: 8 }), isWhole: fc.boolean() })
      .map(({ first, count, isWhole }): ReadRange => {
        const begin = isWhole ? 1 : first;
        return { first: begin, last: begin + count - 1, isWhole };
      });
    const maybe = fc.option(range, { freq: 6 });
    fc.assert(
      fc.property(fc.array(maybe, { maxLength: 8 }), maybe, (added, wanted) => {
        const reads = new FileReads<number>();
        for (const [nth, each] of added.entries()) reads.add(each, nth);
        const whole = added.findIndex((each) => each?.isWhole);
        const covers = (each: ReadRange | null | undefined): boolean =>
          Boolean(each && wanted && each.first <= wanted.first && each.last >= wanted.last);
        const found = reads.findCovering(wanted);
        if (found !== null && covers(added[found])) return;
        expect(added.some(covers) && wanted !== null).toBe(false);
        expect(found).toBe((wanted === null || wanted.isWhole) && whole !== -1 ? whole : null);
      }),
      { numRuns: runs(3000) },
    );
  });
});
