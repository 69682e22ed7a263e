import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { SharedEntries } from '#analysis/stats/count-session.js';
import type { TableColumn, ColumnKind, Table, Value } from '#analysis/tables/define.js';
import { type TableName, tables, TABLES_VERSION } from '#analysis/tables/index.js';
import { rowsOfSession } from '#analysis/tables/of-session.js';
import type { RowGroup } from '#analysis/tables/row-groups.js';
import { CtxError, type Problem, warning } from '#base/errors.js';
import { familiesOf } from '#cli/sessions/families.js';
import type { NamedFile } from '#cli/sessions/named-files.js';
import { startProgress } from '#cli/sessions/progress.js';
import { openHere } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { countDamage } from '#session/session.js';

/** Sessions, and who takes the bytes of each table that is wanted. */
export interface SessionsToWrite {
  readonly io: Io;
  readonly files: readonly NamedFile[];
  readonly takers: ReadonlyMap<TableName, WriteBytes>;
}

export interface Written {
  readonly sessions: number;
  readonly tables: ReadonlyMap<TableName, TableFile>;
  readonly problems: readonly Problem[];
}

/**
 * Writes tables of sessions as Parquet, one session after another, families together and parents first. Throws a
 * CtxError (input) where no session can be read.
 */
export async function writeTables({ io, files, takers }: SessionsToWrite): Promise<Written> {
  const targets = targetsFor(takers);
  const writing: Writing = { targets, heldBytes: 0 };
  const problems: Problem[] = [];
  const progress = startProgress(io, files.length, 'sessions');
  try {
    for (const family of familiesOf(io, files)) {
      const shared = new SharedEntries();
      for (const { file } of family) {
        const problem = await writeSession(io, file, { shared, writing });
        if (problem) problems.push(problem);
        progress.step();
      }
    }
  } finally {
    await progress.clear();
  }
  const sessions = files.length - problems.filter(({ code }) => code === UNREADABLE).length;
  if (sessions === 0) throw new CtxError('input', 'no session can be read', { where: problems[0]?.message ?? '' });
  for (const target of targets.values()) await target.finish();
  return { sessions, tables: targets, problems };
}

type Targets = ReadonlyMap<TableName, TableFile>;

function targetsFor(takers: SessionsToWrite['takers']): Targets {
  const targets = new Map<TableName, TableFile>();
  for (const table of tables) {
    const taker = takers.get(table.name);
    if (taker) targets.set(table.name, new TableFile(table, taker));
  }
  return targets;
}

interface Family {
  readonly shared: SharedEntries;
  readonly writing: Writing;
}

interface Writing {
  readonly targets: Targets;
  /** The size of the sessions of which rows are held. */
  heldBytes: number;
}

/** The limit of session bytes whose rows are in memory at once, since their texts reference the bytes read. */
const BYTES_TOGETHER = 1 << 26;

/** Writes the rows of a session, and returns a problem with it, if any. */
async function writeSession(io: Io, file: string, { shared, writing }: Family): Promise<Problem | null> {
  const { targets } = writing;
  let isBegun = false;
  try {
    const session = await openHere(io, file);
    try {
      for (const group of rowsOfSession({ session, shared, wanted: new Set(targets.keys()) })) {
        isBegun = true;
        await targets.get(group.table)?.add(group);
        if (session.scan.size >= BYTES_TOGETHER) await targets.get(group.table)?.writeHeld();
      }
      writing.heldBytes += session.scan.size;
      if (writing.heldBytes >= BYTES_TOGETHER) await writeHeld(writing);
      shared.note(session);
      return countDamage(session) === 0 ? null : warning('damaged-session', `${file}; see ctx check`);
    } finally {
      session.close();
    }
  } catch (error) {
    const why = isBegun ? null : whyUnreadable(error);
    if (why === null) throw error;
    return warning(UNREADABLE, `${file}: ${why}`);
  }
}

async function writeHeld(writing: Writing): Promise<void> {
  writing.heldBytes = 0;
  for (const target of writing.targets.values()) await target.writeHeld();
}

const UNREADABLE = 'unreadable-session';

/** null for an error that says nothing of the file. */
function whyUnreadable(error: unknown): string | null {
  if (error instanceof CtxError && error.kind === 'input') return error.message;
  return error instanceof RangeError && /call stack/.test(error.message) ? 'the data is nested too deeply' : null;
}

/** Takes the bytes of a file as they come. */
type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** As many rows are a row group: each group costs every reader memory and time, also the one that writes them. */
const ROWS_TOGETHER = 100_000;

/**
 * A Parquet file that is written one row group after another. Rows stay in memory until their group is written; only
 * the group's position is kept.
 */
class TableFile {
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
    // A copy, because the consumer may keep the bytes.
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

function elementOf({ kind, canBeNull }: TableColumn): Omit<SchemaElement, 'name'> {
  return { ...STORED_AS[kind], repetition_type: canBeNull ? 'OPTIONAL' : 'REQUIRED' };
}

const STORED_AS = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  whole: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  // In UTC, by the definition of this type.
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  truth: { type: 'BOOLEAN' },
} as const satisfies Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>>;

function stored(kind: ColumnKind, values: Value[]): ColumnSource['data'] {
  if (kind !== 'whole' && kind !== 'time') return values;
  return values.map((value) => (typeof value === 'number' ? BigInt(value) : null));
}
