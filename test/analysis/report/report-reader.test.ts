import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyList } from '#analysis/diff/list-diff.js';
import type { ReportMessage } from '#analysis/report/document.js';
import { buildIdentityLookup, diffNumbers } from '#analysis/report/report-reader.js';

describe('the changes between two lists', () => {
  it('turn the one before into the one after', () => {
    const list = fc.array(fc.nat(12), { maxLength: 25 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const changes = diffNumbers(before, after, (number) => (number < 6 ? `${number % 3}` : null));
        expect(applyList(before, changes)).toEqual(after);
      }),
    );
  });

  it('are none between equal lists', () => {
    expect(diffNumbers([3, 1, 2], [3, 1, 2], () => 'one')).toEqual([]);
  });
});

describe('two forms of one message', () => {
  const message = (entry: number, origin: ReportMessage['origin']): ReportMessage => {
    return { entry, origin, role: 'user', name: '', preview: '', tokens: 1, blocks: [] };
  };

  it('are one change, those that a transform brought in are not', () => {
    const messages = [message(7, 'entry'), message(7, 'edit'), message(9, 'transform'), message(9, 'transform')];
    const kinds = (before: number, after: number): readonly string[] =>
      diffNumbers([before], [after], buildIdentityLookup(messages)).map(({ kind }) => kind);
    expect(kinds(0, 1)).toEqual(['changed']);
    expect(kinds(2, 3)).toEqual(['removed', 'added']);
  });
});
