import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListingItem, sortInForkOrder } from '#cli/sessions/fork-order.js';

function session(file: string, at: number, parentSession: string | null = null): ListingItem {
  return { file, at, parentSession };
}

function order(...items: readonly ListingItem[]): readonly (readonly [string, number])[] {
  return sortInForkOrder(items).map(({ item, parent }) => [item.file, parent]);
}

/** Sessions 0, 1, … that are forks of one another in any way, also of themselves and in circles. */
const sessions = fc
  .array(fc.record({ modified: fc.nat(9), parent: fc.option(fc.nat(12)) }), { maxLength: 12 })
  .map((all) =>
    all.map(({ modified, parent }, at) => session(`/s/${at}`, modified, parent === null ? null : `/s/${parent}`)),
  );

describe('the order of forks', () => {
  it('holds every session once, each below the one that it was forked from', () => {
    fc.assert(
      fc.property(sessions, (all) => {
        const placed = sortInForkOrder(all);
        expect(placed.map(({ item }) => item.file).toSorted()).toEqual(all.map(({ file }) => file).toSorted());
        for (const [place, { item, parent }] of placed.entries()) {
          expect(parent).toBeLessThan(place);
          if (parent !== -1) expect(placed[parent]?.item.file).toBe(item.parentSession);
        }
      }),
    );
  });

  it('puts groups in the order of their newest members', () => {
    fc.assert(
      fc.property(sessions, (all) => {
        const newest: number[] = [];
        for (const { item, parent } of sortInForkOrder(all)) {
          if (parent === -1) newest.push(item.at);
          else newest.push(Math.max(newest.pop() ?? 0, item.at));
        }
        expect(newest).toEqual(newest.toSorted((a, b) => b - a));
      }),
    );
  });

  it('finds a session that was moved, by its name, unless two have that', () => {
    expect(order(session('/new/a.jsonl', 1), session('/new/b.jsonl', 2, 'C:\\old\\a.jsonl'))).toEqual([
      ['/new/a.jsonl', -1],
      ['/new/b.jsonl', 0],
    ]);
    const twice = order(session('/x/a.jsonl', 1), session('/y/a.jsonl', 1), session('/new/b.jsonl', 2, '/old/a.jsonl'));
    expect(twice[0]).toEqual(['/new/b.jsonl', -1]);
  });

  it('is the same on every machine where times are the same', () => {
    expect(order(session('/b', 1), session('/a', 1)).map(([file]) => file)).toEqual(['/a', '/b']);
  });

  it('takes a long chain of forks', () => {
    const chain = Array.from({ length: 20_000 }, (_, at) => session(`/${at}`, at, at === 0 ? null : `/${at - 1}`));
    expect(sortInForkOrder(chain).at(-1)).toMatchObject({ parent: 19_998 });
  });
});
