/**
 * The type of a column's values. `time` is milliseconds since 1970, `wholeColumn` an integer that JavaScript represents
 * exactly, `money` dollars.
 */
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
  text: defineNullable('text'),
  whole: defineNullable('whole'),
  money: defineNullable('money'),
  time: defineNullable('time'),
  truth: defineNullable('truth'),
};

function defineNullable<const Of extends ColumnKind>(kind: Of): (about: string) => TableColumn<Of, true> {
  return (about) => ({ kind, canBeNull: true, about });
}
