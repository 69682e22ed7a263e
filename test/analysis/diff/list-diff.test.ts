import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyList, diffList, type ItemChange, type Sameness } from '#analysis/diff/list-diff.js';
import { runs } from '../../support/runs.js';

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

  it('is quick for long lists of which little is left', () => {
    const items = (state: number) => Array.from({ length: 30_000 }, (_, at) => `${at}:${at % 100 === 0 ? 0 : state}`);
    const changes = diffList(items(1), items(2), { ...SAME, identity: (one) => one.split(':')[0] });
    expect(changes).toHaveLength(29_700);
  });

  it.each([
    ['one of several that are equal', 'a b a', 'b a', ['removed 0']],
    ['one more of several that are equal', 'a b a', 'a b a b', ['added 3']],
    ['all of several that are equal', 'x a a a y', 'x y', ['removed 1', 'removed 2', 'removed 3']],
    ['an item that moved, though nothing says which it is', 'a b c d', 'd a b c', ['moved 3 to 0']],
    ['two that changed places', 'a b c d', 'b a d c', ['moved 0 to 1', 'moved 2 to 3']],
    ['as few that moved as can be', 'a b c d e', 'c d e a b', ['moved 0 to 3', 'moved 1 to 4']],
    ['all that moved', 'a b c d', 'd c b a', ['moved 2 to 1', 'moved 1 to 2', 'moved 0 to 3']],
    ['what was removed where it stood', 'a b c d', 'a d', ['removed 1', 'removed 2']],
    ['what was removed before what has taken its place', 'a b c', 'a x c', ['removed 1', 'added 1']],
    ['what was removed at the beginning and at the end', 'a b c', 'b', ['removed 0', 'removed 2']],
    ['nothing but what is new', '', 'a b', ['added 0', 'added 1']],
    ['nothing but what is gone', 'a b', '', ['removed 0', 'removed 1']],
    ['what was removed behind what moved', 'a b c d', 'c a d', ['removed 1', 'moved 0 to 1']],
  ])('names %s', (_, before, after, told) => {
    const plain: Sameness<string> = { text: (letter) => letter, identity: () => null, isLike: () => false };
    const letters = (text: string): readonly string[] => text.split(' ').filter(Boolean);
    const changes = diffList(letters(before), letters(after), plain);
    expect(changes.map(tell)).toEqual(told);
    expect(applyList(letters(before), changes)).toEqual(letters(after));
  });

  it('takes items for one another only between the same neighbours, one after another', () => {
    const like = (before: string, after: string) =>
      diffList(before.split(' '), after.split(' '), {
        text: (item) => item,
        identity: () => undefined,
        isLike: (was, is) => was[0] === is[0],
      }).map(tell);
    expect(like('x a1 a2 y', 'x a3 a4 y')).toEqual(['changed 1 to 1', 'changed 2 to 2']);
    expect(like('a1 y', 'a2 y')).toEqual(['changed 0 to 0']);
    expect(like('a1 y', 'y a2')).toEqual(['removed 0', 'added 1']);
    expect(like('x a1 y', 'x b1 a2 y')).toEqual(['removed 1', 'added 1', 'added 2']);
    expect(like('x b1 a1 y', 'x a2 y')).toEqual(['removed 1', 'removed 2', 'added 1']);
    expect(like('x a1', 'x')).toEqual(['removed 1']);
  });

  it('pairs what has the same identity, the first with the first, before what has the same text', () => {
    const states: Sameness<{ readonly id: string | null; readonly text: string }> = {
      text: ({ text }) => text,
      identity: ({ id }) => id,
      isLike: () => false,
    };
    const of = (id: string | null, text: string) => ({ id, text });
    const [x, y] = [of(null, 'x'), of(null, 'y')];
    expect(diffList([x, y, of('1', 'a')], [of('2', 'a'), x, y, of('1', 'b')], states).map(tell)).toEqual([
      'added 0',
      'changed 2 to 3',
    ]);
    expect(diffList([x, y, of('1', 'a')], [of('2', 'a'), x, y], states).map(tell)).toEqual(['moved 2 to 0']);
    expect(diffList([of('1', 'a'), of('1', 'b')], [of('1', 'c'), of('1', 'd')], states).map(tell)).toEqual([
      'changed 0 to 0',
      'changed 1 to 1',
    ]);
    expect(diffList([of(null, 'a')], [of(null, 'b')], states).map(tell)).toEqual(['removed 0', 'added 0']);
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

function tell(change: ItemChange<unknown>): string {
  switch (change.kind) {
    case 'added':
      return `added ${change.to}`;
    case 'removed':
      return `removed ${change.from}`;
    case 'moved':
    case 'changed':
      return `${change.kind} ${change.from} to ${change.to}`;
  }
}
