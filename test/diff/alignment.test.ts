import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { alignment } from '../../src/diff/alignment.js';
import { diffList } from '../../src/diff/list-diff.js';
import { runs } from '../support/runs.js';

const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 10, size: 'max' });
const SAME = { text: (item: string) => item, identity: () => null, isLike: (a: string, b: string) => a < b };

it('gives every item of the new list once and in order, and every removed one', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const changes = diffList(before, after, SAME);
      const steps = [...alignment({ before: before.length, after: after.length }, changes)];
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
