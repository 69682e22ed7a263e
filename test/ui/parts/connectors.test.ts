import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Forest, ROOT } from '#session/tree/forest.js';
import { countFittingForks, createConnectors } from '#ui/parts/connectors.js';
import { outlineOf, type OutlineRow } from '../../../src/session/tree/outline.js';
import { runs } from '../../support/runs.js';

/** A forest by the parent of each entry, all of them before it. */
function forest(parents: readonly number[]): Forest {
  const children = new Map<number, number[]>();
  for (const [index, parent] of parents.entries()) children.set(parent, [...(children.get(parent) ?? []), index]);
  const listed = (parent: number): number[] =>
    (children.get(parent) ?? []).flatMap((index) => [index, ...listed(index)]);
  return { order: Uint32Array.from(listed(ROOT)), parents: Int32Array.from(parents) };
}

const anyForest = fc
  .array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 40, size: 'max' })
  .map((all) => forest(all.map(([pick, follows], at) => (follows ? at - 1 : (pick % (at + 1)) - 1))));

const anyPart = fc
  .record({ forest: anyForest, shown: fc.infiniteStream(fc.boolean()) })
  .map(({ forest: whole, shown }) => ({
    whole,
    rows: rowsOf(
      whole,
      [...whole.order].map(() => shown.next().value ?? true),
    ),
  }));

function rowsOf(whole: Forest, shown: readonly boolean[]): readonly OutlineRow[] {
  return [...outlineOf(whole, { isVisible: (index) => shown[index] ?? false, from: null, depth: Infinity })];
}

/** The index of each row's parent row, told from what is printed alone. */
function readBack(prefixes: readonly string[]): readonly number[] {
  const lastAt = new Map<number, number>();
  return prefixes.map((prefix, at) => {
    const [, left = '0', drawn = ''] = /^(?:…(\d+) )?((?:│ {2}| {3})*(?:[├└]─ )?)$/.exec(prefix) ?? [];
    const forks = Number(left) + drawn.length / 3;
    const isForked = /[├└]/.test(drawn);
    const parent = isForked ? (lastAt.get(forks - 1) ?? ROOT) : at - 1;
    lastAt.set(forks, at);
    return parent;
  });
}

/** The same from the forest: the row of the nearest ancestor that has one. */
function parentRows({ parents }: Forest, rows: readonly OutlineRow[]): readonly number[] {
  const rowOf = new Map(rows.map(({ index }, at) => [index, at]));
  return rows.map(({ index }) => {
    let parent = parents[index]!;
    while (parent !== ROOT && !rowOf.has(parent)) parent = parents[parent]!;
    return parent === ROOT ? ROOT : rowOf.get(parent)!;
  });
}

describe('connectors', () => {
  it.each([Infinity, 4, 2, 1])('can be read back into the tree (at most %d forks)', (most) => {
    fc.assert(
      fc.property(anyPart, ({ whole, rows }) => {
        const connector = createConnectors(most);
        expect(readBack(rows.map(connector))).toEqual(parentRows(whole, rows));
      }),
      { numRuns: runs(300) },
    );
  });

  it('draw lines without gaps and loose ends', () => {
    fc.assert(
      fc.property(anyPart, ({ rows }) => {
        const connector = createConnectors(Infinity);
        const prefixes = rows.map(connector);
        for (const [at, prefix] of prefixes.entries()) {
          for (const [column, sign] of prefix.split('').entries()) {
            if ('│├'.includes(sign)) expect('│├└').toContain(prefixes[at + 1]?.[column] ?? 'nothing');
            // A line comes down from a line, or from the text of the parent; from nowhere only at the first root.
            if ('│├└'.includes(sign) && at > 0) expect(['│', '├', undefined]).toContain(prefixes[at - 1]![column]);
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('count the forks that a line has no room for', () => {
    const comb = forest([ROOT, 0, 0, 2, 2, 4, 4, 6, 6]);
    expect(
      rowsOf(
        comb,
        Array.from({ length: 9 }, () => true),
      ).map(createConnectors(2)),
    ).toEqual(['', '├─ ', '└─ ', '   ├─ ', '   └─ ', '…1    ├─ ', '…1    └─ ', '…2    ├─ ', '…2    └─ ']);
  });

  it('leave half of a line for what stands on it', () => {
    for (const columns of [24, 80, 200]) expect(countFittingForks(columns) * 3).toBeLessThanOrEqual(columns / 2);
  });
});
