import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BranchPoints } from '#analysis/cache/branch-points.js';
import { PiMisses } from '#analysis/cache/pi-misses.js';
import { pathTo } from '#session/tree/tree.js';
import { assistant, type Entry, sessionOf, user } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

const BILLED = { usage: { input: 10 } };
const FAILED = { usage: { input: 0 }, stopReason: 'error' };

/** For each entry of the active path, the id of the entry where it turned off from the branch of the request before. */
function turnOffs(...entries: readonly Entry[]): readonly unknown[] {
  const session = sessionOf(...entries);
  const { tree } = session;
  const path = tree.leaf ? pathTo(tree, tree.leaf) : [];
  const [branches, misses] = [new BranchPoints(session, path), new PiMisses(session)];
  return path.map((head) => branches.findTurnOff(misses.findEarlier(head.index))?.id ?? null);
}

/** The same, found by looking at everything: entries are numbers, each with its parent, -1 for a root. */
function plainly(parents: readonly number[], billed: readonly boolean[]): readonly unknown[] {
  const pathOf = (end: number): readonly number[] => (end === -1 ? [] : [...pathOf(parents[end] ?? -1), end]);
  const path = pathOf(parents.length - 1);
  return path.map((at) => {
    const newest = billed.lastIndexOf(true, at - 1);
    if (at === 0 || !billed[at] || newest === -1 || path.includes(newest)) return null;
    const other = pathOf(newest);
    return `n${path.find((each) => !other.includes(each))}`;
  });
}

function entryOf(making: string, id: string, parent: string | null): Entry {
  return making === 'question' ? user(id, parent) : assistant(id, parent, [], making === 'answer' ? BILLED : FAILED);
}

describe('where a path turns off', () => {
  it('is the first entry that the branch of the request before does not share', () => {
    const node = fc.record({
      back: fc.nat({ max: 4 }),
      isRoot: fc.nat({ max: 9 }),
      making: fc.constantFrom('question', 'answer', 'failure'),
    });
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 25 }), (nodes) => {
        const parents = nodes.map(({ back, isRoot }, at) => (isRoot === 0 ? -1 : Math.max(-1, at - 1 - back)));
        const billed = nodes.map(({ making }) => making === 'answer');
        const entries = parents.map((parent, at) =>
          entryOf(nodes[at]?.making ?? '', `n${at}`, parent === -1 ? null : `n${parent}`),
        );
        expect(turnOffs(...entries)).toEqual(plainly(parents, billed));
      }),
      { numRuns: runs(500) },
    );
  });

  it('is the beginning of the path for a branch that leads back to itself', () => {
    const round = [entryOf('answer', 'x', 'y'), entryOf('answer', 'y', 'x')];
    const path = [user('u1', null), entryOf('answer', 'a1', 'u1'), user('u2', 'a1')];
    expect(turnOffs(...round, ...path)).toEqual([null, 'u1', null]);
  });
});
