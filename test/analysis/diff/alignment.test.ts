import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { alignChanges } from '#analysis/diff/align-changes.js';
import { diffList } from '#analysis/diff/list-diff.js';
import { runs } from '../../support/runs.js';

const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 10, size: 'max' });
const SAME = { text: (item: string) => item, identity: () => null, isLike: (a: string, b: string) => a < b };

it('gives every item of the new list once and in order, and every removed one', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const changes = diffList(before, after, SAME);
      const steps = [...alignChanges({ before: before.length, after: after.length }, changes)];
      const placed = steps.flatMap((step) => {
        if (step.kind === 'kept')
          return Array.from({ length: step.count }, (_, at) => {
            const to = step.to + at;
            expect(before).toContain(after[to]);
            return to;
          });
        return step.change.kind === 'removed' ? [] : [step.change.to];
      });
      expect(placed).toEqual(after.map((_, at) => at));
      expect(steps.flatMap((step) => (step.kind === 'change' ? [step.change] : []))).toEqual(changes);
    }),
    { numRuns: runs(5000) },
  );
});

it.each<readonly [string, string, readonly string[]]>([
  ['', '', []],
  ['ab', 'ab', ['kept 0-1']],
  ['abc', 'axc', ['kept 0', 'changed 1', 'kept 2']],
  ['abcd', 'ad', ['kept 0', 'removed 1', 'removed 2', 'kept 1']],
  ['ad', 'abcd', ['kept 0', 'added 1', 'added 2', 'kept 3']],
  ['bc', 'abc', ['added 0', 'kept 1-2']],
  ['abc', 'ab', ['kept 0-1', 'removed 2']],
  ['abcd', 'bcda', ['kept 0-2', 'moved 3']],
  ['abcd', 'dabc', ['moved 0', 'kept 1-3']],
  ['abcde', 'xbcye', ['changed 0', 'kept 1-2', 'changed 3', 'kept 4']],
  ['abcde', 'acbe', ['kept 0-1', 'removed 3', 'moved 2', 'kept 3']],
])('from %j to %j: %j', (before, after, steps) => {
  const changes = diffList(before.split(''), after.split(''), { ...SAME, isLike: (_, b) => 'xy'.includes(b) });
  const told = [...alignChanges({ before: before.length, after: after.length }, changes)].map((step) => {
    if (step.kind === 'kept') return `kept ${step.to}${step.count === 1 ? '' : `-${step.to + step.count - 1}`}`;
    const { change } = step;
    return `${change.kind} ${change.kind === 'removed' ? change.from : change.to}`;
  });
  expect(told).toEqual(steps);
});
