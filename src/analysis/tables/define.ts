/** The type of a column's values. `time` is milliseconds since 1970, `wholeColumn` an integer that JavaScript represents exactly, `money` dollars. */
export type ColumnKind = 'text' | 'whole' | 'money' | 'time' | 'truth';

interface Values {
  readonly text: string;
  readonly whole: number;
  readonly money: number;
  readonly time: number;
  readonly truth: boolean;
}

/** The source of a column that the heads of entries and their usage do not have. */
export type ColumnNeed = 'outline' | 'contents' | 'result' | 'result contents' | 'replay';

export interface TableColumn<Of extends ColumnKind = ColumnKind, Empty extends boolean = boolean> {
  readonly kind: Of;
  /** Unknown values are null. */
  readonly canBeNull: Empty;
  /** The description of the column in one line. */
  readonly about: string;
  /** Whether its texts are long and differ, so that they are worth neither statistics nor a comparison. */
  readonly isLong?: boolean;
  readonly needs?: ColumnNeed;
}

type Columns = Readonly<Record<string, TableColumn>>;

/** A table: the single definition for the output, the documentation and SQL. */
export interface Table<Of extends Columns = Columns, Name extends string = string> {
  readonly name: Name;
  /** The thing that one row describes. */
  readonly about: string;
  readonly columns: Of;
}

/** A row of a table: a value for each column. */
export type RowOf<Of extends Table> = {
  readonly [Name in keyof Of['columns']]: Of['columns'][Name] extends TableColumn<infer OfKind, infer Empty>
    ? Values[OfKind] | (Empty extends true ? null : never)
    : never;
};

export type TableValue = string | number | boolean | null;

export function defineTable<const Of extends Columns, const Name extends string>(
  table: Table<Of, Name>,
): Table<Of, Name> {
  return table;
}

/** A column that needs an outline of its entry, all of it, its result, or the context. */
export function columnFrom<Of extends TableColumn>(needs: ColumnNeed, column: Of): Of {
  return { ...column, needs };
}

export function textColumn(about: string): TableColumn<'text', false> {
  return { kind: 'text', canBeNull: false, about };
}

export function longTextColumn(about: string): TableColumn<'text', false> {
  return { ...textColumn(about), isLong: true };
}

export function wholeColumn(about: string): TableColumn<'whole', false> {
  return { kind: 'whole', canBeNull: false, about };
}

export function truthColumn(about: string): TableColumn<'truth', false> {
  return { kind: 'truth', canBeNull: false, about };
}

/** Columns that may be null. */
export const nullableColumn = {
  text: optional('text'),
  whole: optional('whole'),
  money: optional('money'),
  time: optional('time'),
  truth: optional('truth'),
};

function optional<const Of extends ColumnKind>(kind: Of): (about: string) => TableColumn<Of, true> {
  return (about) => ({ kind, canBeNull: true, about });
}

/** The session of a row, in every table. */
export const SESSION_COLUMNS = {
  session_id: textColumn('id of the session, from its header'),
  file: textColumn('the file as it was passed; with `line` it identifies an entry, even if copies share ids'),
  cwd: nullableColumn.text('working directory of the session'),
  agent: textColumn('agent that wrote the session, such as `pi`, `claude-code` or `codex`'),
};

/** The entry of a row. */
export const ENTRY_COLUMNS = {
  ...SESSION_COLUMNS,
  line: wholeColumn('line of the entry in the file, from 1'),
  entry_id: nullableColumn.text('id of the entry'),
  time: nullableColumn.time('time of the entry, UTC'),
  shared: truthColumn('whether an earlier session of the same family has the entry, where `ctx stats` counts it'),
  on_active_path: truthColumn('whether the entry is on the path to the leaf'),
};

/** A recorded `usage` in numbers. */
export const USAGE_COLUMNS = {
  input_recorded: wholeColumn('input tokens that were neither read from a cache nor written to one'),
  output_recorded: wholeColumn('output tokens'),
  cache_read_recorded: wholeColumn('tokens that were read from the cache'),
  cache_write_recorded: wholeColumn('tokens that were written to the cache'),
  total_recorded: wholeColumn('sum of all four'),
  cost_recorded: nullableColumn.money('cost in dollars; null if no cost is recorded'),
};

/** The columns of every row about an entry. */
export type EntryPart = RowOf<Table<typeof ENTRY_COLUMNS>>;

/** The SQL names of the kinds. */
export const SQL_TYPES = {
  text: 'VARCHAR',
  whole: 'BIGINT',
  money: 'DECIMAL(18,9)',
  time: 'TIMESTAMP',
  truth: 'BOOLEAN',
} as const satisfies Readonly<Record<ColumnKind, string>>;

/** The digits of an amount of money, and its decimal places. */
export const MONEY_DIGITS = { precision: 18, scale: 9 };
const MOST_DOLLARS = 10 ** (MONEY_DIGITS.precision - MONEY_DIGITS.scale) - 1;

/** A billionth that is nearer than this to a product below 2 ** 40 is the exact one, whatever the product was rounded to. */
const NEAR = 0.49;
const MOST_NEAR = 2 ** 40;

/** Dollars in billionths, exact: millions times a billion would not be. Files may contain any number; null for NaN. */
export function toBillionths(dollars: number): number | bigint | null {
  const amount = Math.max(-MOST_DOLLARS, Math.min(MOST_DOLLARS, dollars));
  if (Number.isNaN(amount)) return null;
  const product = amount * 10 ** MONEY_DIGITS.scale;
  const nearest = Math.round(product);
  if (Math.abs(product) < MOST_NEAR && Math.abs(product - nearest) < NEAR) return nearest;
  return BigInt(amount.toFixed(MONEY_DIGITS.scale).replace('.', ''));
}
