import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathTo } from '#session/tree/tree.js';
import { Branches } from '../../../src/analysis/cache/prompts.js';
import { assistant, type Entry, sessionOf, user } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

/** For each entry of the active path, the id of the entry where it turned off from the branch of the request before. */
function turnOffs(...entries: readonly Entry[]): readonly unknown[] {
  const session = sessionOf(...entries);
  const { tree } = session;
  const path = tree.leaf ? pathTo(tree, tree.leaf) : [];
  const branches = new Branches(session, path);
  return path.map((head) => branches.turnOff(head)?.id ?? null);
}

/** The same, found by looking at everything: entries are numbers, each with its parent, -1 for a root. */
function plainly(parents: readonly number[], answers: readonly boolean[]): readonly unknown[] {
  const pathOf = (end: number): readonly number[] => (end === -1 ? [] : [...pathOf(parents[end] ?? -1), end]);
  const path = pathOf(parents.length - 1);
  return path.map((at) => {
    const newest = answers.lastIndexOf(true, at - 1);
    if (at === 0 || newest === -1 || path.includes(newest)) return null;
    const other = pathOf(newest);
    return `n${path.find((each) => !other.includes(each))}`;
  });
}

describe('where a path turns off', () => {
  it('is the first entry that the branch of the request before does not share', () => {
    const node = fc.record({ back: fc.nat({ max: 4 }), isRoot: fc.nat({ max: 9 }), isAnswer: fc.boolean() });
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 25 }), (nodes) => {
        const parents = nodes.map(({ back, isRoot }, at) => (isRoot === 0 ? -1 : Math.max(-1, at - 1 - back)));
        const answers = nodes.map(({ isAnswer }) => isAnswer);
        const entries = parents.map((parent, at) =>
          (answers[at] ? assistant : user)(`n${at}`, parent === -1 ? null : `n${parent}`),
        );
        expect(turnOffs(...entries)).toEqual(plainly(parents, answers));
      }),
      { numRuns: runs(500) },
    );
  });

  it('is the beginning of the path for a branch that leads back to itself', () => {
    const round = [assistant('x', 'y'), assistant('y', 'x')];
    expect(turnOffs(...round, user('u1', null), assistant('a1', 'u1'), user('u2', 'a1'))).toEqual(['u1', 'u1', null]);
  });
});
