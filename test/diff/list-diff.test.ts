import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyList, diffList, type Sameness } from '../../src/diff/list-diff.js';
import { runs } from '../support/runs.js';

/** Items such as `a:1`: the letter says which it is, the digit in what state. */
const SAME: Sameness<string> = {
  text: (item) => item,
  identity: (item) => item[0],
  isLike: (before, after) => before.at(-1) === after.at(-1),
};
const diff = (before: string, after: string) =>
  diffList(before.split(' ').filter(Boolean), after.split(' ').filter(Boolean), SAME);

describe('diffList', () => {
  it('finds nothing between equal lists', () => {
    expect(diff('a:1 b:1 a:1', 'a:1 b:1 a:1')).toEqual([]);
  });

  it.each([
    ['an item that was added', 'a:1 c:1', 'a:1 b:1 c:1', [{ kind: 'added', to: 1, after: 'b:1' }]],
    ['an item that was removed', 'a:1 b:1 c:1', 'a:1 c:1', [{ kind: 'removed', from: 1, before: 'b:1' }]],
    [
      'an item that was changed',
      'a:1 b:1 c:1',
      'a:1 b:2 c:1',
      [{ kind: 'changed', from: 1, to: 1, before: 'b:1', after: 'b:2', isMoved: false }],
    ],
    ['an item that was moved', 'a:1 b:1 c:1 d:1', 'a:1 c:1 d:1 b:1', [{ kind: 'moved', from: 1, to: 3, item: 'b:1' }]],
    [
      'an item that was moved and changed',
      'a:1 b:1 c:1',
      'b:1 c:1 a:2',
      [{ kind: 'changed', from: 0, to: 2, before: 'a:1', after: 'a:2', isMoved: true }],
    ],
    [
      'an item of another name in the same place',
      'a:1 b:1 c:1',
      'a:1 d:1 c:1',
      [{ kind: 'changed', from: 1, to: 1, before: 'b:1', after: 'd:1', isMoved: false }],
    ],
    [
      'something else in its place',
      'a:1 b:1',
      'a:1 d:2',
      [
        { kind: 'removed', from: 1, before: 'b:1' },
        { kind: 'added', to: 1, after: 'd:2' },
      ],
    ],
  ])('names %s, and nothing more', (_, before, after, changes) => {
    expect(diff(before, after)).toEqual(changes);
  });

  const item = fc
    .tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom('1', '2'))
    .map(([a, b]) => `${a}:${b}`);
  const list = fc.array(item, { maxLength: 9, size: 'max' });

  it('says what turns any list into any other (L7)', () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        expect(applyList(before, diffList(before, after, SAME))).toEqual(after);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('names no more changes than there were edits', () => {
    const names = 'abcdefghijklmnop'.split('');
    const edit = fc.record({ kind: fc.constantFrom('add', 'remove', 'change', 'move'), at: fc.nat(), to: fc.nat() });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 4, size: 'max' }), (edits) => {
        const before = names.map((name) => `${name}:0`);
        const after = [...before];
        for (const [step, { kind, at, to }] of edits.entries()) {
          const place = at % after.length;
          const old = after[place]!;
          if (kind === 'add') after.splice(place, 0, `${String.fromCodePoint(0x4e00 + step)}:${step}`);
          if (kind === 'remove') after.splice(place, 1);
          if (kind === 'change') after[place] = `${old[0]!}:${step + 1}`;
          if (kind === 'move') after.splice(to % after.length, 0, ...after.splice(place, 1));
        }
        expect(diffList(before, after, { ...SAME, isLike: () => false }).length).toBeLessThanOrEqual(edits.length);
      }),
      { numRuns: runs(3000) },
    );
  });
});
