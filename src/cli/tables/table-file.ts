import { ByteWriter, type ParquetWriter } from 'hyparquet-writer';
import type { ValueRange } from './piece-values.js';
import {
  type Chunk,
  createParquetWriter,
  type Packing,
  type PieceColumn,
  type TablePart,
  type TablePiece,
  widenRange,
} from './piece.js';

/** The limits of a row group. */
const MOST_ROWS = 100_000;
const MOST_BYTES = 1 << 22;

/** A Parquet file of pieces, written one row group after another. Only the pieces of one group are in memory. */
export class TableFile {
  rows = 0;
  bytes = 0;
  private held: TablePiece[] = [];
  private heldBytes = 0;
  private heldRows = 0;
  private readonly buffer = new ByteWriter();
  private readonly writer: ParquetWriter;

  /** `write` takes the bytes of the file as they come. */
  constructor(
    table: TablePart,
    packing: Packing,
    private readonly write: (bytes: Uint8Array) => Promise<void>,
  ) {
    this.writer = createParquetWriter(table, this.buffer, packing);
  }

  /** Holds a piece, and writes those that are held once they are enough for a row group. */
  async add(piece: TablePiece): Promise<void> {
    this.held.push(piece);
    for (const { bytes } of piece.columns.values()) this.heldBytes += bytes.length;
    this.heldRows += piece.rows;
    if (this.heldRows >= MOST_ROWS || this.heldBytes >= MOST_BYTES) await this.writeHeld();
  }

  /** Writes the last row group, and the description of all. */
  async finish(): Promise<void> {
    await this.writeHeld();
    void this.writer.finish();
    await this.flush();
  }

  private async writeHeld(): Promise<void> {
    const { held, heldRows, writer } = this;
    const [first] = held;
    if (!first) return;
    await this.flush();
    const columns = [];
    for (const name of first.columns.keys())
      columns.push(await this.writeColumn(held.flatMap((piece) => piece.columns.get(name) ?? [])));
    const sizes = columns.map(({ meta_data: chunk }) => chunk);
    writer.row_groups.push({
      columns,
      num_rows: BigInt(heldRows),
      total_byte_size: sum(sizes.map((chunk) => chunk.total_uncompressed_size)),
      total_compressed_size: sum(sizes.map((chunk) => chunk.total_compressed_size)),
    });
    writer.num_rows += BigInt(heldRows);
    this.rows += heldRows;
    this.held = [];
    this.heldRows = 0;
    this.heldBytes = 0;
  }

  private async writeColumn(parts: readonly PieceColumn[]): Promise<{ file_offset: bigint; meta_data: Chunk }> {
    const offset = BigInt(this.buffer.offset);
    const meta_data = { ...joined(parts), data_page_offset: offset };
    for (const { bytes } of parts) {
      await this.write(bytes);
      this.buffer.offset += bytes.length;
      this.bytes += bytes.length;
    }
    return { file_offset: offset, meta_data };
  }

  private async flush(): Promise<void> {
    // A copy, because the consumer may keep the bytes.
    const bytes = this.buffer.getBytes().slice();
    this.buffer.index = 0;
    this.bytes += bytes.length;
    if (bytes.length > 0) await this.write(bytes);
  }
}

function joined(columns: readonly PieceColumn[]): Chunk {
  const chunks = columns.map(({ chunk }) => chunk);
  const nulls = columns.reduce((all, { statistics }) => all + statistics.nulls, 0);
  const range = columns.reduce<ValueRange>((all, { statistics }) => widenRange(all, statistics.range), null);
  const [first] = chunks as [Chunk];
  return {
    ...first,
    encodings: [...new Set(chunks.flatMap(({ encodings }) => encodings))],
    num_values: sum(chunks.map(({ num_values }) => num_values)),
    total_compressed_size: sum(chunks.map(({ total_compressed_size }) => total_compressed_size)),
    total_uncompressed_size: sum(chunks.map(({ total_uncompressed_size }) => total_uncompressed_size)),
    statistics: { null_count: BigInt(nulls), ...(range && { min_value: range[0], max_value: range[1] }) },
  };
}

function sum(counts: readonly bigint[]): bigint {
  return counts.reduce((all, count) => all + count, 0n);
}
