import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forestOf, ROOT } from '#session/tree/forest.js';
import { pathTo, type Tree } from '#session/tree/tree.js';
import { outlineOf, type OutlineRow } from '../../../src/session/tree/outline.js';
import { type Entry, sessionOf, user } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

/** Links of every kind: repeated ids, no ids, parents that are missing, later in the file, or lead in a circle. */
const anyEntry = fc.record({
  id: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 12 }).map(idOf) },
    fc.constantFrom(undefined, null, 7),
  ),
  parent: fc.oneof(
    { weight: 5, arbitrary: fc.constant('the one before') },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 12 }).map(idOf) },
    fc.constantFrom(null, undefined, '', 0, 'missing'),
  ),
  timestamp: fc.oneof(
    fc.integer({ min: 0, max: 9 }).map((second) => `2026-01-05T09:00:0${second}.000Z`),
    fc.constant('not a time'),
  ),
});

const anyTree = fc.array(anyEntry, { maxLength: 40, size: 'max' }).map((all) => {
  const entries = all.map(({ id, parent, timestamp }, at): Entry => {
    const parentId = parent === 'the one before' ? (all[at - 1]?.id ?? null) : parent;
    return { ...user(id, parentId), timestamp };
  });
  return sessionOf(...entries).tree;
});

function idOf(number: number): string {
  return `000000${String(number).padStart(2, '0')}`;
}

function isHidden({ heads }: Tree, index: number): boolean {
  const id = heads.at(index)?.id;
  return id !== undefined && id !== null && [...heads].some((head) => head.id === id && head.index > index);
}

/** The cycle that following parents from an entry ends in, by its first entry; null where it ends at a root. */
function cycleAbove({ heads }: Tree, start: number): ReadonlySet<number> | null {
  let next = start;
  for (let steps = 0; steps <= heads.length; steps += 1) {
    if (next === ROOT) return null;
    next = heads.parentAt(next);
  }
  const cycle = new Set<number>();
  for (; !cycle.has(next); next = heads.parentAt(next)) cycle.add(next);
  return cycle;
}

describe('the forest of a session', () => {
  it('holds every entry that no later one hides, once', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const expected = [...tree.heads].map(({ index }) => index).filter((index) => !isHidden(tree, index));
        expect([...forestOf(tree).order].toSorted((a, b) => a - b)).toEqual(expected);
      }),
    );
  });

  it('follows parents as the session does, and cuts each cycle once', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const { order, parents } = forestOf(tree);
        const cuts = [...order].filter((index) => parents[index] === ROOT && tree.heads.parentAt(index) !== ROOT);
        for (const index of order) if (!cuts.includes(index)) expect(parents[index]).toBe(tree.heads.parentAt(index));
        const cycles = new Set(
          [...order].map((index) => cycleAbove(tree, index)).map((cycle) => (cycle ? Math.min(...cycle) : null)),
        );
        cycles.delete(null);
        expect(cuts.length).toBe(cycles.size);
        for (const cut of cuts) expect(cycleAbove(tree, cut)).toContain(cut);
      }),
    );
  });

  it('holds the active path as the session has it', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        if (!tree.leaf) return;
        const { parents } = forestOf(tree);
        const path: number[] = [];
        for (let next = tree.leaf.index; next !== ROOT; next = parents[next]!) path.unshift(next);
        expect(path).toEqual(pathTo(tree, tree.leaf).map(({ index }) => index));
      }),
    );
  });

  it('lists an entry below its parent, older ones first, those without a time last', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const { order, parents } = forestOf(tree);
        const time = (index: number): number => {
          const at = tree.heads.timeAt(index);
          return Number.isNaN(at) ? Infinity : at;
        };
        const childrenOf = (parent: number): number[] => {
          const children = [...order.keys()].map((at) => order[at]!).filter((index) => parents[index] === parent);
          const inOrder = children.toSorted((a, b) => a - b);
          return parent === ROOT ? inOrder : inOrder.toSorted((a, b) => (time(a) === time(b) ? 0 : time(a) - time(b)));
        };
        const listed = (parent: number): number[] => childrenOf(parent).flatMap((index) => [index, ...listed(index)]);
        expect([...order]).toEqual(listed(ROOT));
      }),
    );
  });

  it('begins where the active path ends in a cycle', () => {
    const { tree } = sessionOf(user('a', 'c'), user('b', 'a'), user('c', 'b'), user('d', 'b'));
    expect(forestOf(tree).parents).toEqual(new Int32Array([2, 0, ROOT, 1]));
  });

  it('begins at the first entry of a cycle that the active path does not cross', () => {
    const { tree } = sessionOf(user('b', 'c'), user('c', 'b'), user('a', null));
    expect(forestOf(tree).parents).toEqual(new Int32Array([ROOT, 0, ROOT]));
  });
});

interface Expected extends Omit<OutlineRow, 'index'> {
  readonly index: number;
}

/** The same rows by the plainest means: children of hidden entries stand where these would. */
function expectedRows(
  tree: Tree,
  isVisible: (index: number) => boolean,
  from: number | null,
  most: number,
): Expected[] {
  const { order, parents } = forestOf(tree);
  const shown = (index: number): boolean => index === from || isVisible(index);
  const visibleBelow = (parent: number): number[] =>
    [...order]
      .filter((index) => parents[index] === parent)
      .flatMap((index) => (shown(index) ? [index] : visibleBelow(index)));
  const rowsOf = (siblings: number[], depth: number, forks: number): Expected[] => {
    if (depth > most) return [];
    const isForked = siblings.length > 1;
    const here = forks + (isForked ? 1 : 0);
    return siblings.flatMap((index, at) => {
      const place = !isForked ? 'only' : at === siblings.length - 1 ? 'last' : 'not last';
      const below = visibleBelow(index);
      return [{ index, depth, children: below.length, forks: here, place }, ...rowsOf(below, depth + 1, here)];
    });
  };
  return rowsOf(from === null ? visibleBelow(ROOT) : [from], 1, 0);
}

describe('the outline of a forest', () => {
  const anyChoice = fc.record({
    tree: anyTree,
    shares: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    from: fc.option(fc.nat(39)),
    depth: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 5 })),
  });

  it('shows visible entries below their nearest visible ancestor, whatever is hidden', () => {
    fc.assert(
      fc.property(anyChoice, ({ tree, shares, from, depth }) => {
        const start = from === null || from >= tree.heads.length || isHidden(tree, from) ? null : from;
        const isVisible = (index: number): boolean => shares[index] ?? false;
        const rows = [...outlineOf(forestOf(tree), { isVisible, from: start, depth })];
        expect(rows).toEqual(expectedRows(tree, isVisible, start, depth));
      }),
      { numRuns: runs(500) },
    );
  });

  it('decides about an entry once, and not at all where it is too deep', () => {
    fc.assert(
      fc.property(anyTree, fc.integer({ min: 1, max: 4 }), (tree, depth) => {
        const asked: number[] = [];
        const isVisible = (index: number): boolean => asked.push(index) > 0;
        const rows = [...outlineOf(forestOf(tree), { isVisible, from: null, depth })];
        expect(new Set(asked).size).toBe(asked.length);
        const below = rows.filter((row) => row.depth === depth).reduce((sum, { children }) => sum + children, 0);
        expect(asked.length).toBe(rows.length + below);
      }),
    );
  });
});
