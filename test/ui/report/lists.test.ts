import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReportMessage } from '#ui/report/data.js';
import { changesBetween, paired } from '#ui/report/page/lists.js';

describe('the changes between two lists', () => {
  it('hold the one before and the one after, and nothing twice', () => {
    const list = fc.array(fc.nat(12), { maxLength: 25 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const changes = changesBetween(before, after);
        const without = (kind: string): readonly number[] =>
          changes.filter((change) => change.kind !== kind).map(({ item }) => item);
        expect(without('added')).toEqual(before);
        expect(without('removed')).toEqual(after);
      }),
    );
  });

  it('are none between equal lists', () => {
    expect(changesBetween([3, 1, 2], [3, 1, 2]).filter(({ kind }) => kind !== 'same')).toEqual([]);
  });
});

describe('two forms of one message', () => {
  const message = (entry: number, origin: ReportMessage['origin']): ReportMessage => {
    return { entry, origin, role: 'user', name: '', failure: '', tokens: 1, blocks: [] };
  };

  it('are one change, those that a transform brought in are not', () => {
    const messages = [message(7, 'entry'), message(7, 'edit'), message(9, 'transform'), message(9, 'transform')];
    expect(paired(messages, changesBetween([0], [1]))).toEqual([{ kind: 'changed', before: 0, after: 1 }]);
    expect(paired(messages, changesBetween([2], [3]))).toEqual([
      { kind: 'removed', before: 2, after: null },
      { kind: 'added', before: null, after: 3 },
    ]);
  });
});
