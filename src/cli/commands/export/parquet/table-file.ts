import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column, Kind, Table, Value } from '#analysis/tables/define.js';
import { TABLES_VERSION } from '#analysis/tables/index.js';
import type { RowGroup } from '#analysis/tables/row-groups.js';

/** Takes the bytes of a file as they come. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** As many rows are a row group: each group costs every reader memory and time, also the one that writes them. */
const ROWS_TOGETHER = 100_000;

/**
 * A Parquet file that is written one row group after another. Rows are held until their group is written; of that,
 * nothing is held but where it is.
 */
export class TableFile {
  rows = 0;
  bytes = 0;
  private held = 0;
  private readonly columns: ReadonlyMap<string, Value[]>;
  private readonly buffer = new ByteWriter();
  private readonly writer: ParquetWriter;

  constructor(
    private readonly table: Table,
    private readonly write: WriteBytes,
  ) {
    this.columns = new Map(Object.keys(table.columns).map((name) => [name, []]));
    this.writer = new ParquetWriter({
      writer: this.buffer,
      schema: schemaOf(table),
      // No version of the program, so that the same sessions give the same bytes.
      createdBy: 'pi-ctx',
      kvMetadata: [{ key: 'ctx.tablesVersion', value: String(TABLES_VERSION) }],
    });
  }

  /** Holds rows, and writes all that are held once they are enough for a row group. */
  async add({ rows, columns }: RowGroup): Promise<void> {
    for (const [name, all] of this.columns) for (const value of columns.get(name) ?? []) all.push(value);
    this.held += rows;
    if (this.held >= ROWS_TOGETHER) await this.writeHeld();
  }

  /** Writes the rows that are held as one row group. */
  async writeHeld(): Promise<void> {
    if (this.held === 0) return;
    const columnData: ColumnSource[] = [];
    for (const [name, values] of this.columns) {
      const { kind } = this.table.columns[name] ?? { kind: 'text' };
      columnData.push({ name, data: stored(kind, values.splice(0)) });
    }
    await this.writer.write({ columnData, rowGroupSize: this.held });
    this.rows += this.held;
    this.held = 0;
    await this.flush();
  }

  async finish(): Promise<void> {
    await this.writeHeld();
    await this.writer.finish();
    await this.flush();
  }

  private async flush(): Promise<void> {
    // A copy: whoever takes the bytes may keep them.
    const bytes = this.buffer.getBytes().slice();
    this.buffer.index = 0;
    this.bytes += bytes.length;
    await this.write(bytes);
  }
}

function schemaOf({ name, columns }: Table): SchemaElement[] {
  const all = Object.entries(columns);
  return [{ name, num_children: all.length }, ...all.map(([column, of]) => ({ name: column, ...elementOf(of) }))];
}

function elementOf({ kind, canBeNull }: Column): Omit<SchemaElement, 'name'> {
  return { ...STORED_AS[kind], repetition_type: canBeNull ? 'OPTIONAL' : 'REQUIRED' };
}

const STORED_AS = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  whole: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  // In UTC, by the definition of this type.
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  truth: { type: 'BOOLEAN' },
} as const satisfies Readonly<Record<Kind, Omit<SchemaElement, 'name'>>>;

function stored(kind: Kind, values: Value[]): ColumnSource['data'] {
  if (kind !== 'whole' && kind !== 'time') return values;
  return values.map((value) => (typeof value === 'number' ? BigInt(value) : null));
}
