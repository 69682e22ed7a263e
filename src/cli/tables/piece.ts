import zlib from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import type { ColumnKind, TableColumn } from '#analysis/tables/define.js';
import { findTable, type TableName, TABLES_VERSION } from '#analysis/tables/index.js';
import type { ColumnStorage, RowGroup } from '#analysis/tables/row-groups.js';
import { MONEY_DIGITS } from '#analysis/tables/sql-types.js';
import { createPieceValues, packBits, type PieceValues, type StoredValue, type ValueRange } from './piece-values.js';

/** `fast` for files that are read once, `small` for files that are kept. */
export type Packing = 'fast' | 'small';

/** Rows of a table as a piece of a Parquet file. Pieces are joined to row groups without decoding. */
export type TablePiece = RowGroup<PieceColumn>;

export type Chunk = NonNullable<ParquetWriter['row_groups'][number]['columns'][number]['meta_data']>;

export interface PieceColumn {
  /** Its pages. */
  readonly bytes: Uint8Array;
  readonly chunk: Chunk;
  readonly statistics: { readonly nulls: number; readonly range: ValueRange };
}

/** Keeps rows as pieces: the pages of a column are encoded when it is packed. */
export function createPieceStorage(packing: Packing): ColumnStorage<PieceValues, PieceColumn> {
  const codec = codecFor(packing);
  return { begin: createPieceValues, pack: (values, name, of) => columnOf({ name, of, values, codec }) };
}

interface ColumnToWrite {
  readonly name: string;
  readonly of: TableColumn;
  readonly values: PieceValues;
  readonly codec: Codec;
}

function columnOf({ name, of, values, codec }: ColumnToWrite): PieceColumn {
  const writer = new ByteWriter();
  let [uncompressed, nulls] = [0, 0];
  for (const rows of pagesOf(values)) {
    const page = pageOf(values, rows, of.canBeNull);
    uncompressed += writePage(writer, page, codec);
    nulls += page.nulls;
  }
  const chunk: Chunk = {
    type: STORED_AS[of.kind].type,
    encodings: [values.encoding],
    path_in_schema: [name],
    codec,
    num_values: BigInt(values.length),
    total_uncompressed_size: BigInt(uncompressed),
    total_compressed_size: BigInt(writer.offset),
    data_page_offset: 0n,
  };
  // A copy, because the buffer of the writer may be twice as large.
  return { bytes: writer.getBytes().slice(), chunk, statistics: { nulls, range: values.range() } };
}

/** The size of a page before compression, unless one value is larger. */
const PAGE_BYTES = 1 << 20;

type RowRange = readonly [from: number, to: number];

function* pagesOf(values: PieceValues): Generator<RowRange> {
  let [from, bytes] = [0, 0];
  for (let at = 0; at < values.length; at += 1) {
    const size = values.sizeAt(at);
    if (at > from && bytes + size > PAGE_BYTES) {
      yield [from, at];
      [from, bytes] = [at, 0];
    }
    bytes += size;
  }
  yield [from, values.length];
}

interface Page {
  readonly rows: number;
  readonly nulls: number;
  readonly encoding: PieceValues['encoding'];
  /** Which rows have a value; empty if all have. */
  readonly levels: Uint8Array;
  readonly data: Uint8Array;
}

function pageOf(values: PieceValues, [from, to]: RowRange, canBeNull: boolean): Page {
  const rows = to - from;
  const data = values.encoded(from, to);
  const { encoding } = values;
  if (!canBeNull) return { rows, nulls: 0, encoding, levels: new Uint8Array(), data };
  const present = new Uint8Array(rows);
  let nulls = 0;
  for (let at = 0; at < rows; at += 1) {
    if (values.isNull(from + at)) nulls += 1;
    else present[at] = 1;
  }
  return { rows, nulls, encoding, levels: packBits(present), data };
}

/** The size of data from which compressing them saves more space than it takes time to start. */
const WORTH_COMPRESSING = 1 << 8;

/** Returns the size without compression. */
function writePage(writer: ByteWriter, { rows, nulls, encoding, levels, data }: Page, codec: Codec): number {
  const start = writer.offset;
  const is_compressed = data.length >= WORTH_COMPRESSING;
  const packed = is_compressed ? COMPRESSORS[codec](data) : data;
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels.length + data.length,
    compressed_page_size: levels.length + packed.length,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: nulls,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed,
    },
  });
  const header = writer.offset - start;
  writer.appendBytes(levels);
  writer.appendBytes(packed);
  return header + levels.length + data.length;
}

/** The codec depends on Node.js, which has Zstandard since 22.15. Every engine reads both. */
const SMALL = 'zstdCompressSync' in zlib ? 'ZSTD' : 'GZIP';

const COMPRESSORS = {
  GZIP: (bytes: Uint8Array) => zlib.gzipSync(bytes, { level: 1, chunkSize: roomFor(bytes) }),
  ZSTD: (bytes: Uint8Array) =>
    (zlib as typeof zlib & { zstdCompressSync(bytes: Uint8Array): Buffer }).zstdCompressSync(bytes),
  BROTLI: (bytes: Uint8Array) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 }, chunkSize: roomFor(bytes) }),
};

type Codec = keyof typeof COMPRESSORS;

function codecFor(packing: Packing): Codec {
  return packing === 'fast' ? 'BROTLI' : SMALL;
}

/** The size of blocks of output: most pages need one. */
function roomFor({ length }: Uint8Array): number {
  return Math.max(1 << 10, length >> 2);
}

/** A table with some of its columns, or all. */
export interface TablePart {
  readonly name: TableName;
  readonly columns: ReadonlySet<string>;
}

export function createParquetWriter(table: TablePart, writer: ByteWriter, packing: Packing): ParquetWriter {
  return new ParquetWriter({
    writer,
    schema: schemaOf(table),
    codec: codecFor(packing),
    compressors: COMPRESSORS,
    statistics: false,
    // No version of the program, so that the same sessions give the same bytes.
    createdBy: 'pi-ctx',
    kvMetadata: [{ key: 'ctx.tablesVersion', value: String(TABLES_VERSION) }],
  });
}

function schemaOf({ name, columns }: TablePart): SchemaElement[] {
  const all = Object.entries(findTable(name).columns).filter(([column]) => columns.has(column));
  return [{ name, num_children: all.length }, ...all.map(([column, of]) => ({ name: column, ...elementOf(of) }))];
}

function elementOf({ kind, canBeNull }: TableColumn): Omit<SchemaElement, 'name'> {
  return { ...STORED_AS[kind], repetition_type: canBeNull ? 'OPTIONAL' : 'REQUIRED' };
}

const STORED_AS = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  whole: { type: 'INT64' },
  money: {
    type: 'INT64',
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', ...MONEY_DIGITS },
    ...MONEY_DIGITS,
  },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  truth: { type: 'BOOLEAN' },
} as const satisfies Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>>;

export function widenRange(range: ValueRange, other: ValueRange): ValueRange {
  if (range === null || other === null) return range ?? other;
  const [least, most] = [order(other[0], range[0]) < 0, order(other[1], range[1]) > 0];
  return least || most ? [least ? other[0] : range[0], most ? other[1] : range[1]] : range;
}

function order(one: StoredValue, other: StoredValue): number {
  if (typeof one === 'object' && typeof other === 'object') return Buffer.compare(one, other);
  return one < other ? -1 : Number(one > other);
}
