import { type EntryPart, OF_ENTRY, type RowOf, type TableColumn, type Value } from './define.js';
import { type QueriedColumns, type TableName, tableNamed, type tables } from './index.js';

/** The values of a column, in row order. Less length removes the last values. */
export interface ColumnValues {
  length: number;
  push(value: Value): unknown;
}

/** Rows of one table that are written together. */
export interface RowGroup<Of extends ColumnValues = readonly Value[] & ColumnValues> {
  readonly table: TableName;
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Of>;
}

type TableOf<Name extends TableName> = Extract<(typeof tables)[number], { readonly name: Name }>;

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** The column of entries whose values are known once the path has ended. */
const LATE = 'in_context';

/** The values of a row that are not of the position of its entry. */
export type OwnRow<Name extends TableName> = Omit<RowOf<TableOf<Name>>, keyof EntryPart | typeof LATE>;

/** The rows of one table, collected column by column. */
export class CollectedRows<Name extends TableName, Of extends ColumnValues = ColumnValues> {
  private readonly columns: readonly Column<Of>[];
  private readonly late: Of | undefined;

  constructor(
    readonly name: Name,
    wanted: ReadonlySet<string> = NO_COLUMNS,
    newColumn: (column: TableColumn) => Of,
  ) {
    const all = Object.entries(tableNamed(name).columns).filter(([column]) => wanted.has(column));
    const columns = all.map(([column, of]) => ({ name: column, isOfPlace: column in OF_ENTRY, values: newColumn(of) }));
    this.late = columns.find((column) => column.name === LATE)?.values;
    this.columns = columns;
  }

  get rows(): number {
    return this.columns[0]?.values.length ?? 0;
  }

  set rows(count: number) {
    for (const { values } of this.columns) values.length = count;
  }

  add(place: Partial<EntryPart>, row: OwnRow<Name>): void {
    const [ofPlace, own] = [place, row] as unknown as readonly [Values, Values];
    for (const { name, isOfPlace, values } of this.columns)
      if (values !== this.late) values.push((isOfPlace ? ofPlace : own)[name] ?? null);
  }

  addLate(value: Value): void {
    this.late?.push(value);
  }

  group(): RowGroup<Of> {
    return {
      table: this.name,
      rows: this.rows,
      columns: new Map(this.columns.map(({ name, values }) => [name, values])),
    };
  }
}

export class TableRows<Of extends ColumnValues = ColumnValues> {
  readonly of: { readonly [Name in TableName]: CollectedRows<Name, Of> };
  /** The length of the texts of messages. */
  characters = 0;

  constructor(wanted: QueriedColumns, newColumn: (column: TableColumn) => Of) {
    const rowsOf = <Name extends TableName>(name: Name) => new CollectedRows(name, wanted.get(name), newColumn);
    this.of = {
      sessions: rowsOf('sessions'),
      entries: rowsOf('entries'),
      messages: rowsOf('messages'),
      tool_calls: rowsOf('tool_calls'),
      usage: rowsOf('usage'),
      envelopes: rowsOf('envelopes'),
    };
  }

  /** Returns a function that removes the rows that were added since. */
  mark(): () => void {
    const counts = Object.values(this.of).map((table) => [table, table.rows] as const);
    return () => {
      for (const [table, count] of counts) table.rows = count;
    };
  }

  /** Yields the rows of each table that has any, and removes them. */
  *take(names = Object.keys(this.of) as readonly TableName[]): Generator<RowGroup<Of>> {
    this.characters = 0;
    for (const name of names) {
      const table = this.of[name];
      if (table.rows > 0) yield table.group();
      table.rows = 0;
    }
  }
}

interface Column<Of> {
  readonly name: string;
  readonly isOfPlace: boolean;
  readonly values: Of;
}

type Values = Readonly<Record<string, Value>>;
