import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column, Kind, Table, Value } from '../tables/define.js';
import { TABLES_VERSION } from '../tables/index.js';
import type { RowGroup } from '../tables/row-groups.js';

/** Takes the bytes of a file as they come. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** A Parquet file that is written one row group after another; nothing that was written is held, but for where it stands. */
export class TableFile {
  rows = 0;
  bytes = 0;
  private readonly buffer = new ByteWriter();
  private readonly writer: ParquetWriter;

  constructor(
    private readonly table: Table,
    private readonly write: WriteBytes,
  ) {
    this.writer = new ParquetWriter({
      writer: this.buffer,
      schema: schemaOf(table),
      // No version of the program, so that the same sessions give the same bytes.
      createdBy: 'pi-ctx',
      kvMetadata: [{ key: 'ctx.tablesVersion', value: String(TABLES_VERSION) }],
    });
  }

  /** Writes rows as one row group. */
  async add({ rows, columns }: RowGroup): Promise<void> {
    const columnData = Object.entries(this.table.columns).map(([name, { kind }]): ColumnSource => ({
      name,
      data: stored(kind, columns.get(name) ?? []),
    }));
    await this.writer.write({ columnData, rowGroupSize: rows });
    this.rows += rows;
    await this.flush();
  }

  async finish(): Promise<void> {
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

function stored(kind: Kind, values: readonly Value[]): ColumnSource['data'] {
  if (kind !== 'whole' && kind !== 'time') return [...values];
  return values.map((value) => (typeof value === 'number' ? BigInt(value) : null));
}
