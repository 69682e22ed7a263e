import zlib from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ColumnKind, TableColumn, Value } from '#analysis/tables/define.js';
import { type TableName, tableNamed, TABLES_VERSION } from '#analysis/tables/index.js';
import type { RowGroup } from '#analysis/tables/row-groups.js';

/** `fast` for files that are read once, `small` for files that are kept. */
export type Packing = 'fast' | 'small';

/** Rows of a table as a piece of a Parquet file. Pieces are joined to row groups without decoding. */
export interface TablePiece {
  readonly table: TableName;
  readonly rows: number;
  /** The pages of all columns, one after the other. */
  readonly bytes: Uint8Array;
  readonly columns: readonly PieceColumn[];
}

export type Chunk = NonNullable<ParquetWriter['row_groups'][number]['columns'][number]['meta_data']>;

export interface PieceColumn {
  readonly start: number;
  readonly end: number;
  readonly chunk: Chunk;
  readonly statistics: ColumnStatistics;
}

export interface ColumnStatistics {
  readonly nulls: number;
  /** The least and the greatest value; null if there is none, or it is not worth storing. */
  readonly range: readonly [Stored, Stored] | null;
}

type Stored = Uint8Array | bigint | number | boolean;

/** Encodes rows as a piece. */
export function pieceOf({ table: name, rows, columns }: RowGroup, packing: Packing): TablePiece {
  const buffer = new ByteWriter();
  const { columns: kinds } = tableNamed(name);
  const writer = writerFor({ name, columns: new Set(columns.keys()) }, buffer, packing);
  const data = [...columns].map(([column, all]) => {
    const of = kinds[column] as TableColumn;
    const values = all.map((value) => storedValue(of.kind, value));
    return { name: column, data: asOneBuffer(values), encoding: ENCODINGS[encodingOf(of)], isLong: of.isLong };
  });
  void writer.write({ columnData: data as ColumnSource[], rowGroupSize: rows });
  const chunks = writer.row_groups[0]?.columns ?? [];
  return {
    table: name,
    rows,
    bytes: buffer.getBytes().slice(),
    columns: chunks.map(({ meta_data: chunk }, at) => columnOf(chunk as Chunk, data[at]?.data ?? [], data[at]?.isLong)),
  };
}

function columnOf(chunk: Chunk, values: readonly (Stored | null)[], isLong = false): PieceColumn {
  const start = Number(chunk.data_page_offset);
  const statistics = statisticsOf(values, isLong);
  return { start, end: start + Number(chunk.total_compressed_size), chunk, statistics };
}

/** The codec depends on Node.js, which has Zstandard since 22.15. Every engine reads both. */
const SMALL = 'zstdCompressSync' in zlib ? 'ZSTD' : 'GZIP';

/** The compressors of Parquet, by their codec. */
const COMPRESSORS = {
  GZIP: (bytes: Uint8Array) => zlib.gzipSync(bytes, { level: 1 }),
  ZSTD: (bytes: Uint8Array) => (zlib as typeof zlib & Zstandard).zstdCompressSync(bytes),
  BROTLI: (bytes: Uint8Array) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

interface Zstandard {
  zstdCompressSync(bytes: Uint8Array): Buffer;
}

/** A table with some of its columns, or all. */
export interface TablePart {
  readonly name: TableName;
  readonly columns: ReadonlySet<string>;
}

export function writerFor(table: TablePart, writer: ByteWriter, packing: Packing): ParquetWriter {
  return new ParquetWriter({
    writer,
    schema: schemaOf(table),
    codec: packing === 'fast' ? 'BROTLI' : SMALL,
    compressors: COMPRESSORS,
    statistics: false,
    // No version of the program, so that the same sessions give the same bytes.
    createdBy: 'pi-ctx',
    kvMetadata: [{ key: 'ctx.tablesVersion', value: String(TABLES_VERSION) }],
  });
}

function schemaOf({ name, columns }: TablePart): SchemaElement[] {
  const all = Object.entries(tableNamed(name).columns).filter(([column]) => columns.has(column));
  return [{ name, num_children: all.length }, ...all.map(([column, of]) => ({ name: column, ...elementOf(of) }))];
}

function elementOf({ kind, canBeNull }: TableColumn): Omit<SchemaElement, 'name'> {
  return { ...STORED_AS[kind], repetition_type: canBeNull ? 'OPTIONAL' : 'REQUIRED' };
}

/** Decimal places of an amount of money, and its digits. */
const [SCALE, PRECISION] = [9, 18];

const STORED_AS = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  whole: { type: 'INT64' },
  money: {
    type: 'INT64',
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision: PRECISION, scale: SCALE },
    precision: PRECISION,
    scale: SCALE,
  },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  truth: { type: 'BOOLEAN' },
} as const satisfies Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>>;

/** No dictionaries, because pieces have no common one: equal neighbours take no space as differences either. */
const ENCODINGS = { long: 'PLAIN', text: 'DELTA_BYTE_ARRAY', number: 'DELTA_BINARY_PACKED', truth: undefined } as const;

function encodingOf({ kind, isLong }: TableColumn): keyof typeof ENCODINGS {
  if (kind === 'text') return isLong ? 'long' : 'text';
  return kind === 'truth' ? 'truth' : 'number';
}

function storedValue(kind: ColumnKind, value: Value): Value | bigint {
  return kind === 'money' && typeof value === 'number' ? moneyOf(value) : value;
}

const MOST_DOLLARS = 10 ** (PRECISION - SCALE) - 1;

/** Dollars in billionths. Files may contain any number. */
function moneyOf(dollars: number): bigint | null {
  if (Number.isNaN(dollars)) return null;
  return BigInt(Math.round(Math.max(-MOST_DOLLARS, Math.min(MOST_DOLLARS, dollars)) * 10 ** SCALE));
}

/** Encodes texts. Equal neighbours are one object, which is quick to compare. */
function asOneBuffer(values: readonly (Value | bigint)[]): (Stored | null)[] {
  let last = { text: '', bytes: Buffer.alloc(0) };
  return values.map((value) => {
    if (typeof value !== 'string') return value;
    if (value !== last.text) last = { text: value, bytes: Buffer.from(value) };
    return last.bytes;
  });
}

function statisticsOf(values: readonly (Stored | null)[], isLong: boolean): ColumnStatistics {
  let nulls = 0;
  let range: ColumnStatistics['range'] = null;
  let last: Stored | null = null;
  for (const value of values) {
    if (value === null) nulls += 1;
    else if (value !== last && !isLong) range = wider(range, [value, value]);
    last = value;
  }
  // A copy, because a small buffer is a part of a larger one, which a thread would pass as a whole.
  return { nulls, range: range && [copyOf(range[0]), copyOf(range[1])] };
}

function copyOf(value: Stored): Stored {
  return typeof value === 'object' ? Uint8Array.from(value) : value;
}

export function wider(range: ColumnStatistics['range'], other: ColumnStatistics['range']): ColumnStatistics['range'] {
  if (range === null || other === null) return range ?? other;
  const [least, most] = [order(other[0], range[0]) < 0, order(other[1], range[1]) > 0];
  return least || most ? [least ? other[0] : range[0], most ? other[1] : range[1]] : range;
}

function order(one: Stored, other: Stored): number {
  if (typeof one === 'object' && typeof other === 'object') return Buffer.compare(one, other);
  return one < other ? -1 : Number(one > other);
}
