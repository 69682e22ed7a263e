import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TreeFacts, treeJson } from '#cli/commands/tree/json.js';
import { schemas } from '#cli/schemas.js';
import type { NewHead } from '#session/heads/head.js';
import { Heads } from '#session/heads/heads.js';
import { PI_ROLES, PI_TYPES } from '#session/scan/line-scanner.js';
import type { OutlineRow } from '../../../src/session/tree/outline.js';
import { runs } from '../../support/runs.js';

const id = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.integer({ min: 0, max: 0xffffffff }).map((digits) => digits.toString(16).padStart(8, '0')),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined, 7, '', 'u1', '0000000G', '\u202e"', 'ABCDEF01') },
);
/** Times at the edges of days, months, leap years and of what the writer knows. */
const EDGES = [
  '1970-01-01',
  '1999-12-31T23:59:59.999',
  '2000-02-29',
  '2024-03-01',
  '2100-02-28T23:59:59.999',
  '9999-12-31',
];
const time = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 253_402_300_800_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(...EDGES.map((text) => Date.parse(text))) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, -1, -0, 0, 253_402_300_799_999, 253_402_300_800_000, 8.64e15) },
);
const size = fc.oneof(fc.nat(100_000), fc.constantFrom(0, 9, 10, 999_999_999, 1e9, 1e9 + 1, 2 ** 32, 2 ** 53 - 1));
const head: fc.Arbitrary<NewHead> = fc.record({
  line: fc.oneof(fc.nat(1000), fc.constant(0xffffffff)),
  offset: size,
  length: size,
  type: fc.oneof(fc.constantFrom(null, ...PI_TYPES), fc.constantFrom('strange', '\u202e', 'a"b')),
  role: fc.oneof(fc.constantFrom(null, ...PI_ROLES), fc.constant('stranger')),
  id,
  parentId: id,
  target: id,
  time,
  usageStart: fc.nat(),
  usageLength: fc.nat(),
  hasSummary: fc.boolean(),
});

interface Case {
  readonly rows: readonly OutlineRow[];
  readonly facts: Omit<TreeFacts, 'isStrict'>;
}

const count = fc.nat(0xffffffff);
const cases: fc.Arbitrary<Case> = fc
  .array(fc.record({ head, depth: count, children: count, isActive: fc.boolean(), isLabelled: fc.nat(20) }), {
    maxLength: 600,
    size: 'max',
  })
  .map((all) => ({
    rows: all.map(({ depth, children }, index) => ({ index, depth, children, forks: 0, place: 'only' })),
    facts: {
      heads: Heads.from(all.map((one) => one.head)),
      labels: new Map(all.flatMap(({ isLabelled }, index) => (isLabelled === 0 ? [[index, `"${index}\u0007`]] : []))),
      active: Uint8Array.from(all, ({ isActive }, index) => (isActive || index === all.length - 1 ? 1 : 0)),
      leaf: all.length === 0 ? undefined : all.length - 1,
    },
  }));

function written({ rows, facts }: Case, isStrict: boolean): string {
  return Array.from(treeJson(rows, { ...facts, isStrict }), (piece) => Buffer.from(piece).toString()).join('');
}

describe('rows as lines of JSON', () => {
  it('are the same from every writer', () => {
    fc.assert(
      fc.property(cases, (one) => {
        expect(written(one, false)).toBe(written(one, true));
      }),
      { numRuns: runs(200) },
    );
  });

  it('are what the schema says, one for each row', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const lines = written(one, false).split('\n').slice(0, -1);
        const entries = lines.map((line) => schemas['tree-entry'].parse(JSON.parse(line)));
        expect(entries.map(({ depth, children }) => [depth, children])).toEqual(
          one.rows.map(({ depth, children }) => [depth, children]),
        );
        expect(entries.map(({ isLeaf }) => isLeaf)).toEqual(one.rows.map((_, at) => at === one.rows.length - 1));
      }),
      { numRuns: runs(30) },
    );
  });
});
