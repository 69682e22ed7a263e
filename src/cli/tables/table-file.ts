import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { findTable, type TableName, TABLES_VERSION } from '#analysis/tables/index.js';
import { buildSchemaElement, COMPRESSION, type EncodedRows, moveChunk, type Packing } from './encode-column.js';

/** A table with some of its columns, or all. */
interface ChosenColumns {
  readonly name: TableName;
  readonly columns: ReadonlySet<string>;
}

/** A Parquet file of a table, written one row group after another. */
export class TableFile {
  /** The rows and bytes that were written so far. */
  rows = 0;
  bytes = 0;
  private readonly buffer = new ByteWriter();
  private readonly parquet: ParquetWriter;

  /** `write` takes the bytes of the file as they come. */
  constructor(
    { name, columns }: ChosenColumns,
    packing: Packing,
    private readonly write: (bytes: Uint8Array) => Promise<void>,
  ) {
    const elements = Object.entries(findTable(name).columns)
      .filter(([column]) => columns.has(column))
      .map(([column, definition]) => buildSchemaElement(column, definition));
    this.parquet = new ParquetWriter({
      writer: this.buffer,
      schema: [{ name, num_children: elements.length }, ...elements],
      ...COMPRESSION[packing],
      // No version of the program, so that the same sessions give the same bytes.
      createdBy: 'pi-ctx',
      kvMetadata: [{ key: 'ctx.tablesVersion', value: String(TABLES_VERSION) }],
    });
  }

  /** Writes rows as a row group. */
  async add({ rows, columns }: EncodedRows): Promise<void> {
    const { buffer, parquet } = this;
    const chunks = [...columns.values()].map(({ bytes, chunk }) => {
      const start = buffer.offset;
      buffer.appendBytes(bytes);
      return { file_offset: BigInt(start), meta_data: moveChunk(chunk, start) };
    });
    parquet.row_groups.push({
      columns: chunks,
      num_rows: BigInt(rows),
      total_byte_size: chunks.reduce((sum, { meta_data }) => sum + meta_data.total_uncompressed_size, 0n),
      total_compressed_size: chunks.reduce((sum, { meta_data }) => sum + meta_data.total_compressed_size, 0n),
    });
    parquet.num_rows += BigInt(rows);
    this.rows += rows;
    await this.flush();
  }

  /** Writes the description of the row groups. */
  async finish(): Promise<void> {
    await this.parquet.finish();
    await this.flush();
  }

  private async flush(): Promise<void> {
    // A copy, because the consumer may keep the bytes.
    const bytes = this.buffer.getBytes().slice();
    this.buffer.index = 0;
    this.bytes += bytes.length;
    await this.write(bytes);
  }
}
