import { describe, expect, it } from 'vitest';
import { formatId, toHead } from '#session/heads/head.js';
import { compaction, entry, label, user } from '../../support/entries.js';

const SPAN = { line: 4, offset: 100, length: 20 };
const NO_USAGE = { usageStart: 0, usageLength: 0 };
const NOTHING = {
  type: null,
  id: undefined,
  parentId: undefined,
  role: null,
  target: undefined,
  hasSummary: false,
  ...NO_USAGE,
};

describe('the head of an entry', () => {
  it.each([
    ['a message has a role', user('u1', 'a1'), { type: 'message', id: 'u1', parentId: 'a1', role: 'user' }],
    ['a label has a target', label('l1', 'a1', 'u1', 'x'), { type: 'label', id: 'l1', parentId: 'a1', target: 'u1' }],
    [
      'an edit has a target',
      entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null }),
      { type: 'context_edit', id: 'e1', parentId: 'a1', target: 'u1' },
    ],
    [
      'a compaction has the entry that it keeps from as target',
      compaction('k1', 'a1', 'u1'),
      { type: 'compaction', id: 'k1', parentId: 'a1', target: 'u1' },
    ],
    [
      'the role and target of other types mean nothing',
      entry('custom', 'c1', null, { targetId: 'u1', firstKeptEntryId: 'u1', message: { role: 'user' } }),
      { type: 'custom', id: 'c1', parentId: null },
    ],
    [
      'the usage of a message is somewhere in the line',
      entry('message', 'x', null, { message: { role: 'assistant', usage: { input: 1 } } }),
      { type: 'message', id: 'x', parentId: null, role: 'assistant', usageStart: 0, usageLength: 20 },
    ],
    [
      'the usage of a branch summary is somewhere in the line',
      entry('branch_summary', 'x', null, { usage: {} }),
      { type: 'branch_summary', id: 'x', parentId: null, usageStart: 0, usageLength: 20 },
    ],
    [
      'a branch summary with a text has a summary',
      entry('branch_summary', 'x', null, { summary: 'tried this' }),
      { type: 'branch_summary', id: 'x', parentId: null, hasSummary: true },
    ],
    [
      'a branch summary with an empty text has none',
      entry('branch_summary', 'x', null, { summary: '' }),
      { type: 'branch_summary', id: 'x', parentId: null },
    ],
    [
      'usage has to be an object',
      entry('message', 'x', null, { message: { usage: 7 }, usage: {} }),
      { type: 'message', id: 'x', parentId: null },
    ],
    ['ids need not be strings', entry('usage', 1, false), { type: 'usage', id: 1, parentId: false }],
    ['an object is no id', entry('usage', {}, ['u1']), { type: 'usage' }],
    ['a type has to be a string', entry(7 as never, 'x', null), { id: 'x', parentId: null }],
    [
      'a role has to be a string',
      entry('message', 'x', null, { message: { role: 7 } }),
      { type: 'message', id: 'x', parentId: null },
    ],
    ['a message may be missing', entry('message', 'x', null), { type: 'message', id: 'x', parentId: null }],
    ['an array has none of all this', ['type', 'message'], {}],
    ['a scalar has none of all this', 'message', {}],
  ])('%s', (_name, value, expected) => {
    const time = Array.isArray(value) || typeof value === 'string' ? Number.NaN : Date.UTC(2026, 0, 5, 9, 0, 1);
    expect(toHead(value, SPAN)).toEqual({ ...SPAN, ...NOTHING, time, ...expected });
  });

  it.each([
    ['a', 'a'],
    ['', ''],
    [1, '1'],
    [false, 'false'],
    [null, null],
    [undefined, null],
  ])('writes the id %j as %j', (id, text) => {
    expect(formatId(id)).toBe(text);
  });
});
