import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TableValue } from '#analysis/tables/define.js';
import { findTable, listAllColumns, tables } from '#analysis/tables/index.js';
import { toBillionths } from '#analysis/tables/sql-types.js';
import { CtxError } from '#base/errors.js';
import { createColumnStorage, type EncodedRows } from '#cli/tables/encode-column.js';
import { readRowGroups, type SessionReading } from '#cli/tables/session-tables.js';
import { TableFile } from '#cli/tables/table-file.js';
import { anyCharacter } from '../../support/any-character.js';
import { opened } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';
import { Duck, plain, type Row, type Tables } from '../../support/tables.js';

/** The rows of sessions, of which those whose text is null fail after some of their entries were read. */
async function groupsOf(texts: readonly (string | null)[]): Promise<{
  readonly groups: readonly EncodedRows[];
  readonly sessions: readonly SessionReading[];
}> {
  const open: Parameters<typeof readRowGroups>[1] = async (file) => {
    const text = texts[Number(file)] ?? null;
    const session = await opened(text ?? generateSession({ seed: 9, entries: 60 }));
    let count = 0;
    const entry: typeof session.entry = (head) => {
      count += 1;
      if (text === null && count > 30) throw new CtxError('input', 'the file shrank while it was being read');
      return session.entry(head);
    };
    return { ...session, entry };
  };
  const families = texts.map((_, at) => [String(at)]);
  const tabling = readRowGroups({ families, wanted: listAllColumns(), packing: 'small' }, open);
  const groups: EncodedRows[] = [];
  for (;;) {
    const { done, value } = await tabling.next();
    if (done) return { groups, sessions: value };
    groups.push(value);
  }
}

/** The file of some row groups of a table. */
async function fileOf(groups: readonly EncodedRows[]): Promise<Uint8Array> {
  const written: Uint8Array[] = [];
  const name = groups[0]?.table ?? 'usage';
  const columns = new Set(Object.keys(findTable(name).columns));
  const file = new TableFile({ name, columns }, 'small', async (bytes) => void written.push(bytes));
  for (const group of groups) await file.add(group);
  await file.finish();
  return Buffer.concat(written);
}

/** Rows of the table of model calls, with any values in its columns. */
const text = fc.oneof(
  fc.constantFrom('', 'a', 'é', '😀 x', '\ud800', 'x'.repeat(3000)),
  fc.string({ unit: anyCharacter }),
);
const VALUES: Readonly<Record<string, fc.Arbitrary<TableValue>>> = {
  text,
  whole: fc.maxSafeInteger(),
  money: fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
  time: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.getTime()),
  truth: fc.boolean(),
};
const row = fc.record(
  Object.fromEntries(
    Object.entries(findTable('usage').columns).map(([name, { kind, canBeNull }]) => {
      const value = VALUES[kind] ?? fc.constant(null);
      return [name, canBeNull ? fc.option(value) : value];
    }),
  ),
) as fc.Arbitrary<Readonly<Record<string, TableValue>>>;

function groupOf(rows: readonly Readonly<Record<string, TableValue>>[]): EncodedRows {
  const storage = createColumnStorage('small');
  const columns = Object.entries(findTable('usage').columns).map(([name, of]) => {
    const values = storage.begin(of);
    for (const each of rows) values.push(each[name] ?? null);
    return [name, storage.pack(values, name, of)] as const;
  });
  return { table: 'usage', rows: rows.length, columns: new Map(columns) };
}

describe('tables of sessions', () => {
  it('have no row of a session that could not be read to its end', async () => {
    const [first, last] = [1, 2].map((seed) => generateSession({ seed, entries: 40 }));
    const { groups, sessions } = await groupsOf([first ?? '', null, last ?? '']);
    expect(sessions.map(({ isRead }) => isRead)).toEqual([true, false, true]);
    const { groups: others } = await groupsOf([first ?? '', last ?? '']);
    const withName = ({ groups: all }: { readonly groups: readonly EncodedRows[] }): unknown =>
      all.map(({ table, rows }) => [table, rows]);
    expect(withName({ groups })).toEqual(withName({ groups: others }));
  });

  it('are read by DuckDB as they were, whatever the values are', async () => {
    const groups = fc.array(fc.array(row, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(groups, async (parts) => {
        const bytes = await fileOf(parts.map((rows) => groupOf(rows)));
        const duck = await Duck.over(Object.fromEntries(tables.map(({ name }) => [name, bytes])) as Tables);
        try {
          const read = await duck.ask(`FROM usage`);
          expect(read).toEqual(parts.flat().map((each) => asRead(each)));
        } finally {
          duck.close();
        }
      }),
      { numRuns: runs(20) },
    );
  });
});

/** A row as a reader gets it: no lone surrogates. */
function asRead(values: Readonly<Record<string, TableValue>>): Row {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? Buffer.from(value).toString() : plain(value),
    ]),
  );
}

describe('money', () => {
  it('is stored as the nearest billionth, also between two of them and above what a double counts exactly', () => {
    const parts = fc.tuple(fc.integer({ min: 0, max: 999_999_997 }), fc.maxSafeInteger(), fc.constantFrom(0, 0.5));
    const amount = fc.oneof(
      fc.double({ noNaN: true, min: -999_999_999, max: 999_999_999 }),
      parts.map(([dollars, digits, half]) => dollars + ((digits % 1e9) + half) / 1e9),
    );
    fc.assert(
      fc.property(amount, (dollars) => {
        expect(BigInt(toBillionths(dollars) ?? 0)).toBe(BigInt(dollars.toFixed(9).replace('.', '')));
      }),
      { numRuns: runs(2000) },
    );
    expect(toBillionths(Number.NaN)).toBeNull();
    expect(toBillionths(1e300)).toBe(999_999_999_000_000_000n);
  });
});
