import { describe, expect, it } from 'vitest';
import { findSessionSpan, isBuildTime } from '#analysis/check/cache/build-time.js';
import { findDeclaration } from '#analysis/check/cache/find-declaration.js';
import { listPlacedTexts } from '#analysis/check/cache/placed-texts.js';
import { areEqualTools, comparePrefixes, isUnchangedPrefix } from '#analysis/check/cache/prefix-change.js';
import type { EnvelopeContent, LlmMessage, SystemPart } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { findVolatileMatches } from '#context/request/volatile.js';
import { readSession } from '../../../src/session/read-session.js';
import { type Entry, entry, HEADER, lines, sessionOf, sourceOf, user } from '../../support/entries.js';

const part = (name: string, text: string, separator = '\n\n'): SystemPart => ({ name, text, separator });
const said = (words: string, more: object = {}): LlmMessage => ({ role: 'user', content: words, ...more });
const failed = (stopReason: string): LlmMessage => ({ role: 'assistant', content: [], stopReason });

interface Given extends Partial<Pick<EnvelopeContent, 'tools' | 'options'>> {
  readonly parts?: readonly SystemPart[];
  readonly cached?: readonly LlmMessage[];
}

function content({ parts = [], cached = [], ...rest }: Given): EnvelopeContent {
  const { system } = EMPTY_ENVELOPE;
  return { ...EMPTY_ENVELOPE, ...rest, system: { ...system, parts }, messages: { cached, uncached: [] } };
}

const SAME = { parts: [], tools: false, options: false, message: null, isLonger: false };
const [A, B] = [part('a', 'One.'), part('b', 'Two.')];
const [X, Y] = [said('x'), said('y')];
const READ = { name: 'read', description: 'Read a file' };

describe('what of a request differs from the one before', () => {
  it.each<[string, Given, Given, object]>([
    ['nothing', { parts: [A, B], cached: [X] }, { parts: [{ ...A }, { ...B }], cached: [said('x')] }, {}],
    ['a part', { parts: [A, B] }, { parts: [A, part('b', 'Three.')] }, { parts: ['b'] }],
    ['a part that is new', { parts: [A] }, { parts: [A, B] }, { parts: ['b'] }],
    ['a part that is gone', { parts: [A, B] }, { parts: [B] }, { parts: ['a'] }],
    ['the order of parts', { parts: [A, B] }, { parts: [B, A] }, { parts: ['order'] }],
    ['what stands between parts', { parts: [A, B] }, { parts: [A, part('b', 'Two.', '\n')] }, { parts: ['order'] }],
    ['tools', { tools: [READ] }, { tools: [{ ...READ, description: 'Read' }] }, { tools: true }],
    ['the number of tools', { tools: [READ] }, { tools: [READ, { ...READ, name: 'bash' }] }, { tools: true }],
    ['options', {}, { options: { reasoning: 'low' } }, { options: true }],
    ['a message', { cached: [X, Y] }, { cached: [X, X, Y] }, { message: 1 }],
    ['a message that is gone', { cached: [X, Y] }, { cached: [X] }, { message: 1 }],
    ['a message more', { cached: [X] }, { cached: [X, Y] }, { isLonger: true }],
    ['no failed answer', { cached: [failed('error'), X, failed('aborted')] }, { cached: [X] }, {}],
    ['no failed answer that is new', { cached: [X] }, { cached: [failed('aborted'), X, failed('error')] }, {}],
    ['an answer that did not fail', { cached: [X] }, { cached: [X, failed('stop')] }, { isLonger: true }],
    [
      'no failure of anybody else',
      { cached: [] },
      { cached: [said('x', { stopReason: 'error' })] },
      { isLonger: true },
    ],
  ])('%s', (_what, before, after, difference) => {
    const change = comparePrefixes(content(before), content(after));
    expect(change).toEqual({ ...SAME, ...difference });
    expect(isUnchangedPrefix(change)).toBe(Object.keys(difference).length === 0);
  });

  it('is not the order of keys, but the order of lists', () => {
    expect(areEqualTools([READ], [{ description: 'Read a file', name: 'read' }])).toBe(true);
    expect(areEqualTools([READ], [])).toBe(false);
    expect(areEqualTools([], [READ])).toBe(false);
  });
});

describe('the time of a session', () => {
  const HOUR = 3_600_000;
  const at = (iso: string): number => Date.parse(iso);

  it('is that of its header, its first entry and its leaf, and a day and a half more', () => {
    const late = { ...user('u2', 'u1'), timestamp: '2026-01-09T00:00:00.000Z' };
    expect(findSessionSpan(sessionOf(user('u1', null), late))).toEqual({
      from: at(HEADER.timestamp) - 36 * HOUR,
      to: at(late.timestamp) + 36 * HOUR,
    });
    const alone = at(HEADER.timestamp);
    expect(findSessionSpan(sessionOf())).toEqual({ from: alone - 36 * HOUR, to: alone + 36 * HOUR });
    const early = { ...user('u1', null), timestamp: '2026-01-01T00:00:00.000Z' };
    expect(findSessionSpan(sessionOf(early, { ...user('u2', 'u1'), timestamp: 'soon' }))).toEqual({
      from: at(early.timestamp) - 36 * HOUR,
      to: at(HEADER.timestamp) + 36 * HOUR,
    });
  });

  it('is unlimited if no time is recorded', () => {
    const timeless = [
      { ...HEADER, timestamp: 'once' },
      { ...user('u1', null), timestamp: 'soon' },
    ];
    const session = readSession(sourceOf(lines(...timeless)), 's.jsonl');
    expect(findSessionSpan(session)).toEqual({ from: -Infinity, to: Infinity });
  });
});

describe('a value of now', () => {
  const during = { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 3) };

  it.each([
    ['2026-03-02', true],
    ['2026-03-01', true],
    ['2026-03-03', true],
    ['2026-02-28', false],
    ['2026-03-04', false],
    ['2026/03/02', true],
    ['2026/3/2', true],
    ['02.03.2026', true],
    ['03/02/2026', true],
    ['2/3/2026', true],
    ['04.05.2026', false],
    ['March 2, 2026', true],
    ['March 2nd, 2026', true],
    ['2. March 2026', true],
    ['2nd March 2026', true],
    ['March 20, 2026', false],
    ['1772442000', true],
    ['1772442000123', true],
    ['1672442000', false],
    ['2026-03-02T09:00:00Z', true],
    ['2025-03-02T09:00:00Z', false],
    ['The update of 2012-06-30', false],
    ['Today.\n2012-06-30', false],
    ['on 3999 at 09:00:01', true],
    ['3999\n at 09:00:01', false],
    ['at 09:00:01', false],
    ['9fceb02d0ae598e95dc970b74767f19372d61af8', true],
    ['3f2504e0-4f89-11d3-9a0c-0305e82c3301', true],
  ])('%j: %j', (text, isNow) => {
    const found = findVolatileMatches(text);
    expect(found.length).toBe(1);
    expect(isBuildTime(text, found[0]!, during)).toBe(isNow);
  });

  const LABELS =
    'Today, now, date, dated, time, clock, current, currently, as of, Started, generated, updated, TIMESTAMP'.split(
      ', ',
    );

  it.each(LABELS)('is told by the word %j', (label) => {
    const text = `${label}: 2012-06-30`;
    expect(isBuildTime(text, findVolatileMatches(text)[0]!, during)).toBe(true);
    const inside = `x${label}x: 2012-06-30`;
    expect(isBuildTime(inside, findVolatileMatches(inside)[0]!, during)).toBe(false);
  });

  it('is told by a word that stands near it only', () => {
    const behind = (between: string): boolean => {
      const text = `time${between}2012-06-30`;
      return isBuildTime(text, findVolatileMatches(text)[0]!, during);
    };
    expect(behind(' '.repeat(30))).toBe(true);
    expect(behind(' '.repeat(31))).toBe(false);
  });
});

describe('the texts of a value', () => {
  it('come in order, with their places', () => {
    const value = { a: 'x', b: [{ c: 'y' }, 'z', 7, null], d: { 'e f': { g: true, h: '' } } };
    expect([...listPlacedTexts(value)]).toEqual([
      { text: 'x', place: 'a' },
      { text: 'y', place: 'b[0].c' },
      { text: 'z', place: 'b[1]' },
      { text: '', place: 'd.e f.h' },
    ]);
    expect([...listPlacedTexts('alone')]).toEqual([{ text: 'alone', place: '' }]);
    expect([...listPlacedTexts(['x'])]).toEqual([{ text: 'x', place: '[0]' }]);
    expect([...listPlacedTexts(null)]).toEqual([]);
  });

  it('have places that do not grow without end, and are not looked at for ever', () => {
    const deep = JSON.parse(`${'{"abcdefghi":'.repeat(5000)}"x"${'}'.repeat(5000)}`) as unknown;
    const [only, ...others] = listPlacedTexts(deep);
    expect(others).toEqual([]);
    expect(only?.place).toBe(Array.from({ length: 21 }, () => 'abcdefghi').join('.'));
    expect([...listPlacedTexts({ ['k'.repeat(999)]: 'x' })]).toEqual([{ text: 'x', place: 'k'.repeat(200) }]);
    expect([...listPlacedTexts(Array.from({ length: 200_000 }, () => 'x'))]).toHaveLength(99_999);
  });
});

describe('the entry that declares a text', () => {
  const system = (id: string, parentId: string | null, rules: string): ReturnType<typeof entry> =>
    entry('message', id, parentId, { message: { role: 'system', content: '', sections: { rules } } });
  const whereIs = (text: string, ...entries: readonly Entry[]): unknown => {
    const { at, place } = findDeclaration(sessionOf(...entries), text);
    return at ? `${String(at.id)} ${place}` : place;
  };

  it('is the newest one above the leaf', () => {
    const entries = [
      system('s1', null, 'Be brief.'),
      system('s2', 's1', 'Be brief, please.'),
      user('u1', 's2', 'Be brief.'),
    ];
    expect(whereIs('Be brief', ...entries)).toBe('s2 message.sections.rules');
    expect(whereIs('Be brief.', ...entries)).toBe('s1 message.sections.rules');
    expect(whereIs('Be long.', ...entries)).toBeUndefined();
    const session = sessionOf(...entries);
    expect(findDeclaration(session, 'Be brief', session.tree.heads.find('s1')).at?.id).toBe('s1');
    expect(findDeclaration(session, 'Be brief', null)).toEqual({});
  });

  it('is none that only says it in a message, a summary or a reason', () => {
    const word = 'xyzzy';
    const op = { op: 'compaction_apply', summary: word, invalidateCacheReason: word, messages: [{ content: word }] };
    const unsaid = [
      entry('compaction', 'k1', null, { summary: word }),
      entry('context_transform', 't1', 'k1', { patch: [op] }),
      user('u1', 't1', word),
    ];
    expect(whereIs(word, ...unsaid)).toBeUndefined();
    const set = entry('context_transform', 't1', null, { patch: [{ op: 'system_part_set', text: word }] });
    expect(whereIs(word, set)).toBe('t1 patch[0].text');
    const others = Array.from({ length: 12 }, () => op);
    expect(whereIs(word, entry('context_transform', 't1', null, { patch: others }))).toBeUndefined();
    const named = entry('context_transform', 't1', null, { patch: [{ op: 'x', options: { summary: word } }] });
    expect(whereIs(word, named)).toBe('t1 patch[0].options.summary');
    const restated = entry('compaction', 'k1', null, { summary: word, systemMessage: { content: word } });
    expect(whereIs(word, restated)).toBe('k1 systemMessage.content');
  });

  it('is none that has the text in its own fields', () => {
    const day = '2026-01-05';
    expect(whereIs(day, system('s1', null, `It is ${day}.`))).toBe('s1 message.sections.rules');
    expect(whereIs(day, system('s1', null, 'Be brief.'))).toBeUndefined();
    const op = { op: 'tools_replace', scope: 'cached', tools: [{ name: 'tools_replace' }, { messages: ['cached'] }] };
    const replaced = entry('context_transform', 't1', null, { transformerName: 'cached tools_replace', patch: [op] });
    expect(whereIs('tools_replace', replaced)).toBe('t1 patch[0].tools[0].name');
    expect(whereIs('cached', replaced)).toBe('t1 patch[0].tools[1].messages[0]');
    const blocks = [{ type: 'text', text: 'Be brief.' }];
    const message = { role: 'system', content: blocks, toolsRemoved: ['grep'] };
    const listed = entry('message', 's1', null, { message });
    expect(whereIs('Be brief', listed)).toBe('s1 message.content[0].text');
    expect(whereIs('grep', listed)).toBeUndefined();
  });

  it('is looked for once where parents go round', () => {
    expect(whereIs('nothing', system('s1', 's2', 'a'), system('s2', 's1', 'b'))).toBeUndefined();
  });
});
