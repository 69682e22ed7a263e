import type { RowOf, Table, Value } from './define.js';
import { type TableName, tables } from './index.js';

/** Rows of one table that are written together: the values of each column, in the order of the rows. */
export interface RowGroup {
  readonly table: TableName;
  readonly rows: number;
  readonly columns: ReadonlyMap<string, readonly Value[]>;
}

type TableOf<Name extends TableName> = Extract<(typeof tables)[number], { readonly name: Name }>;

/** The rows of one table, collected column by column. */
export class Collected<Name extends TableName> {
  private rows = 0;
  private columns: ReadonlyMap<string, Value[]>;
  private readonly columnNames: readonly string[];

  constructor(readonly name: Name) {
    const table: Table | undefined = tables.find((one) => one.name === name);
    this.columnNames = Object.keys(table?.columns ?? {});
    this.columns = this.emptyColumns();
  }

  add(row: RowOf<TableOf<Name>>): void {
    const values: Readonly<Record<string, Value>> = row;
    for (const [column, all] of this.columns) all.push(values[column] ?? null);
    this.rows += 1;
  }

  /** Gives what was collected, and begins anew. Nothing where there are no rows. */
  *take(): Generator<RowGroup> {
    const { name, rows, columns } = this;
    if (rows === 0) return;
    this.rows = 0;
    this.columns = this.emptyColumns();
    yield { table: name, rows, columns };
  }

  private emptyColumns(): ReadonlyMap<string, Value[]> {
    return new Map(this.columnNames.map((column) => [column, []]));
  }
}

/** The whole number that is nearest to a count, which files may give as any number. */
export function wholeOf(count: number): number {
  const most = Number.MAX_SAFE_INTEGER;
  return Math.max(-most, Math.min(most, Math.round(count)));
}

export function maybeWhole(count: number | null | undefined): number | null {
  return count === null || count === undefined || Number.isNaN(count) ? null : wholeOf(count);
}

/** null for a time that no calendar has. */
export function timeOf(milliseconds: number): number | null {
  const time = new Date(milliseconds).getTime();
  return Number.isNaN(time) ? null : time;
}
