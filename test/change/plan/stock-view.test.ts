import { describe, expect, it } from 'vitest';
import { hasLoneTransform, listIgnoredByStock } from '#change/plan/stock-view.js';
import { activePath } from '#session/tree/tree.js';
import { compaction, type Entry, entry, sessionOf, TALK, user } from '../../support/entries.js';

function transform(id: string, parentId: string, transformerName: string): Entry {
  return entry('context_transform', id, parentId, { schemaVersion: 1, transformerName, patch: [] });
}

const DUAL = [transform('t1', 'a2', 'compaction'), compaction('k1', 't1', 'u2')];

describe('the reader of a path', () => {
  it.each<[string, readonly Entry[], boolean]>([
    ['without transforms is stock Pi', TALK, false],
    ['with a dual write is stock Pi', [...TALK, ...DUAL, user('u3', 'k1')], false],
    ['with another transform knows them', [...TALK, transform('t1', 'a2', 'gate')], true],
    ['with half of a dual write knows them', [...TALK, transform('t1', 'a2', 'compaction'), user('u3', 't1')], true],
    ['with a dual write and another transform knows them', [...TALK, ...DUAL, transform('t2', 'k1', 'gate')], true],
    ['with a compaction below another transform knows them', [...TALK, transform('t1', 'a2', 'gate'), DUAL[1]!], true],
    ['is not told by another branch', [...TALK, transform('t1', 'a2', 'gate'), user('u3', 'a2')], false],
  ])('%s', (_, entries, expected) => {
    const session = sessionOf(...entries);
    expect(hasLoneTransform(session, activePath(session.tree))).toBe(expected);
  });
});

it('stock Pi ignores transforms that no compaction repeats, and logs of messages', () => {
  const entries = [...DUAL, transform('t2', 'k1', 'gate'), entry('ephemeral', 'x1', 't2'), user('u3', 'x1')];
  expect(listIgnoredByStock(entries)).toEqual(['t2', 'x1']);
  expect(listIgnoredByStock([DUAL[0]!, compaction('k1', 'a2', 'u2')])).toEqual(['t1']);
  expect(listIgnoredByStock([])).toEqual([]);
});
