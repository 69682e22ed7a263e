import zlib from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ColumnKind, TableColumn, TableValue } from '#analysis/tables/define.js';
import type { ColumnStorage, RowGroup } from '#analysis/tables/row-groups.js';
import { MONEY_DIGITS, toBillionths } from '#analysis/tables/sql-types.js';

/** `fast` for files that are read once, `small` for files that are kept. */
export type Packing = 'fast' | 'small';

/** Rows of a table whose columns are encoded, so that they take little memory and can leave their thread. */
export type EncodedRows = RowGroup<EncodedColumn>;

/** The values of a column as they are in a row group of a Parquet file. */
export interface EncodedColumn {
  readonly bytes: Uint8Array;
  /** The description of the bytes. Its offsets count from their beginning. */
  readonly chunk: ColumnMetadata;
}

export type ColumnMetadata = NonNullable<ParquetWriter['row_groups'][number]['columns'][number]['meta_data']>;

/** Collects the values of columns, and encodes them when they are packed. */
export function createColumnStorage(packing: Packing): ColumnStorage<TableValue[], EncodedColumn> {
  return { begin: () => [], pack: (values, name, column) => encodeColumn(values, name, column, packing) };
}

/** The bytes before the first column of a file. */
const MAGIC_BYTES = 4;

/** Encodes a column with a file of its own, from which its bytes are taken. */
function encodeColumn(values: readonly TableValue[], name: string, column: TableColumn, packing: Packing) {
  const writer = new ByteWriter();
  const schema = [{ name: 'column', num_children: 1 }, buildSchemaElement(name, column)];
  const parquet = new ParquetWriter({ writer, schema, ...COMPRESSION[packing] });
  const source = { name, data: toStoredValues(values, column), offsetIndex: false, ...ENCODINGS[column.kind] };
  void parquet.write({
    columnData: [column.isLong ? { ...source, encoding: 'PLAIN', statistics: false } : source],
    rowGroupSize: values.length,
  });
  const chunk = parquet.row_groups[0]?.columns[0]?.meta_data;
  if (!chunk) throw new Error(`no values of ${name}`);
  return { bytes: writer.getBytes().slice(MAGIC_BYTES), chunk: moveChunk(chunk, -MAGIC_BYTES) };
}

/** Describes the bytes of a column at another place in a file. */
export function moveChunk(chunk: ColumnMetadata, by: number): ColumnMetadata {
  const { data_page_offset: data, dictionary_page_offset: dictionary } = chunk;
  return {
    ...chunk,
    data_page_offset: data + BigInt(by),
    ...(dictionary !== undefined && { dictionary_page_offset: dictionary + BigInt(by) }),
  };
}

/** Money is stored as a whole number of billionths. */
function toStoredValues(values: readonly TableValue[], { kind }: TableColumn): ColumnSource['data'] {
  if (kind !== 'money') return [...values];
  return values.map((value) => {
    const billionths = typeof value === 'number' ? toBillionths(value) : null;
    return billionths === null ? null : BigInt(billionths);
  });
}

/** Numbers mostly grow from row to row. Texts that repeat have a dictionary, by default. */
const ENCODINGS: Partial<Readonly<Record<ColumnKind, Pick<ColumnSource, 'encoding'>>>> = {
  whole: { encoding: 'DELTA_BINARY_PACKED' },
  money: { encoding: 'DELTA_BINARY_PACKED' },
  time: { encoding: 'DELTA_BINARY_PACKED' },
};

const compressors = {
  GZIP: (bytes: Uint8Array) => zlib.gzipSync(bytes, { level: 1 }),
  ZSTD: (bytes: Uint8Array) =>
    (zlib as typeof zlib & { zstdCompressSync(bytes: Uint8Array): Buffer }).zstdCompressSync(bytes),
  BROTLI: (bytes: Uint8Array) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/** The codec depends on Node.js, which has Zstandard since 22.15. Every engine reads both. */
const SMALL = 'zstdCompressSync' in zlib ? 'ZSTD' : 'GZIP';

/** The compression of the pages of a file. */
export const COMPRESSION = {
  fast: { codec: 'BROTLI', compressors },
  small: { codec: SMALL, compressors },
} as const satisfies Readonly<Record<Packing, unknown>>;

/** The description of a column in the schema of a Parquet file. */
export function buildSchemaElement(name: string, { kind, canBeNull }: TableColumn): SchemaElement {
  return { name, ...STORED_AS[kind], repetition_type: canBeNull ? 'OPTIONAL' : 'REQUIRED' };
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
