import type { RowOf, TableColumn, TableValue } from './define.js';
import { ENTRY_COLUMNS, type EntryPart } from './shared-columns.js';
import { findTable, type QueriedColumns, type TableName, type tables } from './index.js';

/** The values of a column, in row order. Less length removes the last values. */
export interface ColumnValues {
  length: number;
  push(value: TableValue): unknown;
}

/** How the values of columns are kept until they are written. */
export interface ColumnStorage<Of extends ColumnValues, Packed> {
  /** A column without values. */
  begin(column: TableColumn): Of;
  /** The values in a form that takes less memory, and does not change when they do. */
  pack(values: Of, name: string, column: TableColumn): Packed;
}

/** Rows of one table that are written together. */
export interface RowGroup<Packed> {
  readonly table: TableName;
  readonly rows: number;
  /** All columns that are asked for, in the order of the table. */
  readonly columns: PackedColumns<Packed>;
}

type TableOf<Name extends TableName> = Extract<(typeof tables)[number], { readonly name: Name }>;

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** The columns whose values are known once the session has ended. */
const LATE = {
  sessions: [],
  entries: ['in_context'],
  messages: [],
  tool_calls: ['result_line', 'result_entry_id', 'result_time', 'is_error', 'result_tokens_estimated'],
  usage: [],
  envelopes: ['rebilled_cost', 'rebilled_cost_listed'],
} as const satisfies { readonly [Name in TableName]: readonly (keyof RowOf<TableOf<Name>>)[] };

type LateOf<Name extends TableName> = (typeof LATE)[Name][number];

/** The values of a row that are not of the position of its entry, and that do not change. */
export type OwnRow<Name extends TableName> = Omit<RowOf<TableOf<Name>>, keyof EntryPart | LateOf<Name>>;

/** The values of a row that may change until the session has ended. */
export type LateRow<Name extends TableName> = {
  -readonly [Key in LateOf<Name> & keyof RowOf<TableOf<Name>>]: RowOf<TableOf<Name>>[Key];
};

/** The rows of one table, collected column by column. */
export class CollectedRows<Name extends TableName, Of extends ColumnValues = ColumnValues, Packed = unknown> {
  private readonly columns: readonly Column<Of>[];
  private readonly early: readonly Column<Of>[];
  private readonly late: readonly Column<Of>[];
  private readonly lateRows: Values[] = [];
  /** Groups without their late columns. */
  private readonly begun: { readonly rows: number; readonly packed: PackedColumns<Packed> }[] = [];
  private count = 0;

  constructor(
    private readonly name: Name,
    wanted: ReadonlySet<string> = NO_COLUMNS,
    private readonly storage: ColumnStorage<Of, Packed>,
  ) {
    const late: readonly string[] = LATE[name];
    const all = Object.entries(findTable(name).columns).filter(([column]) => wanted.has(column));
    this.columns = all.map(([column, of]) => {
      return { name: column, of, isOfPlace: column in ENTRY_COLUMNS, values: storage.begin(of) };
    });
    this.early = this.columns.filter((column) => !late.includes(column.name));
    this.late = this.columns.filter((column) => late.includes(column.name));
  }

  /** Returns a function that removes the rows that were added since, unless they are in a group. */
  mark(): () => void {
    const count = this.count;
    const late = this.lateRows.length;
    return () => {
      for (const { values } of this.early) values.length = count;
      this.lateRows.length = late;
      this.count = count;
    };
  }

  add(place: Partial<EntryPart>, row: OwnRow<Name>): void {
    const ofPlace = place as unknown as Values;
    const own = row as unknown as Values;
    for (const { name, isOfPlace, values } of this.early) values.push((isOfPlace ? ofPlace : own)[name] ?? null);
    this.count += 1;
  }

  /** Adds the late values of the next row. They may change until the session has ended. */
  addLate(row: LateRow<Name>): void {
    if (this.late.length > 0) this.lateRows.push(row);
  }

  /** Yields groups of all rows, and removes them. Within a session, rows with late columns wait for its end. */
  *groups(isWithinSession: boolean): Generator<RowGroup<Packed>> {
    if (this.count > 0) this.begun.push({ rows: this.count, packed: this.packColumns(this.early) });
    this.count = 0;
    if (isWithinSession && this.late.length > 0) return;
    for (let group = this.begun.shift(); group; group = this.begun.shift()) {
      const { rows, packed } = group;
      for (const row of this.lateRows.splice(0, rows)) {
        for (const { name, values } of this.late) values.push(row[name] ?? null);
      }
      yield { table: this.name, rows, columns: this.sortColumns(new Map([...packed, ...this.packColumns(this.late)])) };
    }
  }

  /** Packs columns, and empties them. */
  private packColumns(columns: readonly Column<Of>[]): PackedColumns<Packed> {
    const packed = new Map<string, Packed>();
    for (const { name, of, values } of columns) {
      packed.set(name, this.storage.pack(values, name, of));
      values.length = 0;
    }
    return packed;
  }

  private sortColumns(packed: PackedColumns<Packed>): PackedColumns<Packed> {
    const names = this.columns.map(({ name }) => name);
    return new Map([...packed].toSorted(([one], [other]) => names.indexOf(one) - names.indexOf(other)));
  }
}

/** The rows of all tables that a query reads, until they are written. */
export class TableRows<Of extends ColumnValues = ColumnValues, Packed = unknown> {
  readonly of: { readonly [Name in TableName]: CollectedRows<Name, Of, Packed> };
  /** About the memory of the rows, in bytes. */
  size = 0;

  constructor(wanted: QueriedColumns, storage: ColumnStorage<Of, Packed>) {
    const rowsOf = <Name extends TableName>(name: Name) => new CollectedRows(name, wanted.get(name), storage);
    this.of = {
      sessions: rowsOf('sessions'),
      entries: rowsOf('entries'),
      messages: rowsOf('messages'),
      tool_calls: rowsOf('tool_calls'),
      usage: rowsOf('usage'),
      envelopes: rowsOf('envelopes'),
    };
  }

  /** Counts a new row with texts of this length. */
  grow(characters: number): void {
    this.size += ROW_SIZE + characters;
  }

  /** Returns a function that removes the rows that were added since. */
  mark(): () => void {
    const forget = Object.values(this.of).map((table) => table.mark());
    return () => {
      for (const one of forget) one();
    };
  }

  /** Yields groups of the rows of each table that has any, and removes them. Within a session, some rows wait. */
  *take(isWithinSession = false): Generator<RowGroup<Packed>> {
    this.size = 0;
    for (const table of Object.values(this.of)) yield* table.groups(isWithinSession);
  }
}

/** The values of a row beside its long texts. */
const ROW_SIZE = 200;

type PackedColumns<Packed> = ReadonlyMap<string, Packed>;

interface Column<Of> {
  readonly name: string;
  readonly of: TableColumn;
  readonly isOfPlace: boolean;
  readonly values: Of;
}

type Values = Readonly<Record<string, TableValue>>;
