import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RawId, toHead } from '#session/heads/head.js';
import { Heads } from '#session/heads/heads.js';
import { buildTree, parentOf, pathTo, type Tree } from '#session/tree/tree.js';
import { listTreeProblems } from '../../../src/session/tree/problems.js';
import {
  activePath,
  assistant,
  compaction,
  type Entry,
  entry,
  HEADER,
  label,
  lines,
  sessionOf,
  TALK,
  user,
} from '../../support/entries.js';
import { runs } from '../../support/runs.js';

const NO_ID = undefined;

/** Entry N of the list stands on line N + 2, below the header. */
function treeFrom(entries: readonly Entry[]): Tree {
  return buildTree(Heads.from(entries.map((value, at) => toHead(value, { line: at + 2, offset: at, length: 1 }))));
}

/** More than a stack is deep. */
const MANY = Math.max(30_000, runs(100_000));

/** The rows t01 to t14 of the edge corpus that real Pi was asked about; Pi dies of t03 and t04. */
describe('the active path', () => {
  it.each<[rule: string, entries: readonly Entry[], path: readonly unknown[]]>([
    ['t01: begins at an orphan', [...TALK, user('u3', 'missing'), assistant('a3', 'u3')], ['u3', 'a3']],
    ['t03: cuts an entry that is its own parent', [user('u1', null), assistant('a1', 'a1')], ['a1']],
    ['t04: cuts a loop of two entries', [user('u1', 'a1'), assistant('a1', 'u1')], ['u1', 'a1']],
    [
      't04: cuts a loop that a repeated id closes',
      [user('u1', null), entry('custom', 'm', 'u1'), assistant('a1', 'm'), entry('custom', 'm', 'a1')],
      ['a1', 'm'],
    ],
    ['t05: leaves other roots alone', [...TALK, user('r2', null), assistant('ra2', 'r2')], ['r2', 'ra2']],
    ['t06: ends at a label on an older branch', [...TALK, label('l1', 'a1', 'u2', 'x')], ['u1', 'a1', 'l1']],
    ['t07: ends at a session_info', [...TALK, entry('session_info', 's1', 'a2')], ['u1', 'a1', 'u2', 'a2', 's1']],
    ['t07: ends at a usage', [...TALK, entry('usage', 'w1', 'a2')], ['u1', 'a1', 'u2', 'a2', 'w1']],
    ['t08: begins where the parent is ""', [...TALK, user('u3', '')], ['u3']],
    ['t08: begins where the parent is 0', [...TALK, user('u3', 0)], ['u3']],
    ['t08: begins where there is no parent', [...TALK, user('u3', undefined)], ['u3']],
    ['t08: begins where the parent is false', [user(false, null), user('u3', false)], ['u3']],
    ['t09: is the last entry where there are no ids', [user(NO_ID, NO_ID), assistant(NO_ID, NO_ID)], [undefined]],
    [
      't10: follows ids, not the order of lines',
      [assistant('a1', 'u1'), user('u1', null), user('u2', 'a1')],
      ['u1', 'a1', 'u2'],
    ],
    [
      't11: leads through unknown types',
      [user('u1', null), entry('future', 'f1', 'u1'), assistant('a1', 'f1')],
      ['u1', 'f1', 'a1'],
    ],
    ['t12: takes 1 and "1" for different ids', [user(1, null), assistant('a1', 1), user('u2', '1')], ['u2']],
    ['t12: follows ids that are numbers', [user(1, null), assistant(2, 1)], [1, 2]],
    ['t13: begins below the session id', [user('u1', HEADER.id), assistant('a1', 'u1')], ['u1', 'a1']],
    [
      't14: is the branch of the last line',
      [...TALK, user('u3', 'a1'), user('u4', 'a2')],
      ['u1', 'a1', 'u2', 'a2', 'u4'],
    ],
    ['is empty where the last id is null', [...TALK, user(null, 'a2')], []],
    ['ends at a last id that is ""', [...TALK, user('', 'a2')], ['u1', 'a1', 'u2', 'a2', '']],
    ['is empty without entries', [], []],
  ])('%s', (_rule, entries, path) => {
    expect(activePath(sessionOf(...entries))).toEqual(path);
  });

  it('t02: takes the last entry of a repeated id, and keeps both', () => {
    const { tree } = sessionOf(
      user('u1', null),
      entry('custom', 'd', null),
      entry('label', 'd', 'u1'),
      assistant('a1', 'd'),
    );
    expect(pathTo(tree, tree.leaf!).map(({ type }) => type)).toEqual(['message', 'label', 'message']);
    expect(tree.heads).toHaveLength(4);
  });

  it('is the same from a line that a repeated id hides', () => {
    const { tree } = sessionOf(user('d', null), user('u2', null), assistant('d', 'u2'));
    expect(pathTo(tree, tree.heads.at(0)!).map(({ line }) => line)).toEqual([2]);
  });

  it('may be very many entries long', () => {
    const chain = Array.from({ length: MANY }, (_, at) => entry('custom', `e${at}`, at === 0 ? null : `e${at - 1}`));
    const session = sessionOf(lines(...chain).trimEnd());
    expect(activePath(session)).toHaveLength(MANY);
    expect(session.problems).toEqual([]);
  });

  it('may be a loop of very many entries', () => {
    const loop = Array.from({ length: MANY }, (_, at) => entry('custom', at + 1, at === 0 ? MANY : at));
    const session = sessionOf(lines(...loop).trimEnd());
    expect(activePath(session)).toHaveLength(MANY);
    expect(session.problems).toMatchObject([{ code: 'cycle', line: MANY + 1 }]);
  });
});

describe('problems between entries', () => {
  it.each<[name: string, entries: readonly Entry[], problems: readonly (readonly [string, number, string | null])[]]>([
    ['none in a sound tree', [...TALK, compaction('k1', 'a2', 'u2'), label('l1', 'k1', 'u1', 'x')], []],
    ['none for several roots', [user('u1', null), user('u2', null)], []],
    ['none for a child that stands before its parent', [assistant('a1', 'u1'), user('u1', null)], []],
    ['none for a header that is named as parent', [user('u1', HEADER.id)], []],
    ['none for entries without ids', [user(NO_ID, NO_ID), assistant(NO_ID, NO_ID)], []],
    ['a missing parent', [user('u1', 'missing')], [['orphan', 2, 'u1']]],
    ['a parent of another type', [user(1, null), assistant('a1', '1')], [['orphan', 3, 'a1']]],
    [
      'each line that a later one hides',
      [user('d', null), user('d', null), user('d', null)],
      [
        ['duplicate-id', 2, 'd'],
        ['duplicate-id', 3, 'd'],
      ],
    ],
    ['an entry that is its own parent', [user('u1', 'u1')], [['cycle', 2, 'u1']]],
    [
      'one loop, at its last line',
      [user('b', 'a'), user('c', 'b'), user('a', 'c'), user('d', 'a')],
      [['cycle', 4, 'a']],
    ],
    [
      'one loop that many lead into',
      [user('x', 'y'), user('y', 'x'), user('1', 'x'), user('2', 'y'), user('3', '2')],
      [['cycle', 3, 'y']],
    ],
    ['one loop behind a long way', [user('a', 'b'), user('c', 'c'), user('b', 'c')], [['cycle', 3, 'c']]],
    [
      'each of two loops',
      [user('a', 'b'), user('b', 'a'), user('c', 'c')],
      [
        ['cycle', 3, 'b'],
        ['cycle', 4, 'c'],
      ],
    ],
    ['a label of nothing', [label('l1', null, 'missing', 'x')], [['dangling-label', 2, 'l1']]],
    ['an edit of nothing', [entry('context_edit', 'e1', null, { targetId: 'missing' })], [['dangling-edit', 2, 'e1']]],
    ['a compaction that keeps from nothing', [compaction('k1', null, 'missing')], [['dangling-compaction', 2, 'k1']]],
    ['a compaction that does not say', [compaction('k1', null, undefined)], [['dangling-compaction', 2, 'k1']]],
    ['none for a compaction that keeps nothing', [compaction('k1', null, 'k1')], []],
    [
      'all of them, in file order',
      [label('l1', 'l1', 'missing', 'x'), user('u1', 'missing'), user('u1', null)],
      [
        ['dangling-label', 2, 'l1'],
        ['cycle', 2, 'l1'],
        ['duplicate-id', 3, 'u1'],
        ['orphan', 3, 'u1'],
      ],
    ],
  ])('are %s', (_name, entries, problems) => {
    const found = listTreeProblems(treeFrom(entries), HEADER.id).map(({ code, line, entryId }) => [
      code,
      line,
      entryId,
    ]);
    expect(found).toEqual(problems);
  });

  it('say where they are', () => {
    expect(sessionOf(user('u1', 'missing')).problems).toEqual([
      {
        code: 'orphan',
        severity: 'error',
        message: 'its parent "missing" is not in the file, so the path begins here',
        line: 2,
        entryId: 'u1',
        offset: lines(HEADER).length,
        length: lines(user('u1', 'missing')).length,
      },
    ]);
  });
});

/** Entries whose parents are anything: other entries, themselves, missing ones, none. Ids repeat. */
const tangle: fc.Arbitrary<readonly Entry[]> = (() => {
  const id = fc.constantFrom<RawId[]>('a', 'b', 'c', 'd', 'e', 'f', 1, '1', '', 0, null, undefined);
  return fc.array(
    fc.tuple(id, id).map(([own, parent]) => entry('custom', own, parent)),
    { minLength: 1, maxLength: 14 },
  );
})();

/** Where the parent of an entry stands, the slow way. */
function parentAt(entries: readonly Entry[], at: number): number {
  const parentId = entries[at]?.['parentId'];
  return parentId ? entries.findLastIndex(({ id }) => id === parentId) : -1;
}

/** Entries from one up to a root, or up to the first that comes again. */
function climb(entries: readonly Entry[], start: number): readonly number[] {
  const climbed: number[] = [];
  for (let at = start; at !== -1 && !climbed.includes(at); at = parentAt(entries, at)) climbed.push(at);
  return climbed;
}

describe('in any tangle of entries', () => {
  it('a path is the way up by parents, without repetition', () => {
    fc.assert(
      fc.property(tangle, (entries) => {
        const tree = treeFrom(entries);
        for (const [at, head] of [...tree.heads].entries()) {
          const path = pathTo(tree, head).map(({ line }) => line - 2);
          expect(path).toEqual(climb(entries, at).toReversed());
        }
      }),
    );
  });

  it('each loop is reported once, at its last line', () => {
    fc.assert(
      fc.property(tangle, (entries) => {
        const loops = entries.flatMap((_, at) => {
          const climbed = climb(entries, at);
          const isLoop = parentAt(entries, climbed.at(-1)!) === at;
          return isLoop ? [Math.max(...climbed) + 2] : [];
        });
        const found = listTreeProblems(treeFrom(entries), HEADER.id).filter(({ code }) => code === 'cycle');
        expect(found.map(({ line }) => line)).toEqual([...new Set(loops)].toSorted((a, b) => a - b));
      }),
    );
  });

  it('an entry is an orphan if it names a parent that is not there', () => {
    fc.assert(
      fc.property(tangle, (entries) => {
        const tree = treeFrom(entries);
        const orphans = listTreeProblems(tree, HEADER.id).filter(({ code }) => code === 'orphan');
        const expected = [...tree.heads].filter((head) => head.parentId && parentOf(tree, head) === undefined);
        expect(orphans.map(({ line }) => line)).toEqual(expected.map(({ line }) => line));
      }),
    );
  });
});
