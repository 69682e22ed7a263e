import type { QueriedColumns, TableName } from '#analysis/tables/index.js';
import { sumBy } from '#base/lists.js';
import { type Family, listFamilyFiles, sumFamilyBytes } from '#cli/sessions/families.js';
import { isWorthThreads, runJobsOrThrow } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import { openForCommand } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { Packing } from './encode-column.js';
import { readRowGroups, type SessionReading, type SessionTables, type TablesInput } from './session-tables.js';
import { TableFile } from './table-file.js';

/** Sessions, and the consumer of the bytes of each wanted table. */
export interface SessionsToWrite {
  readonly io: Io;
  readonly families: readonly Family[];
  readonly wanted: QueriedColumns;
  take(table: TableName, bytes: Uint8Array): Promise<void>;
  readonly packing: Packing;
  /** Absent if the sizes of the sessions decide. */
  readonly isWorthThreads?: boolean | undefined;
}

/** The tables that were written, and the sessions that were read for them. */
export interface WrittenParquet {
  readonly sessions: readonly SessionReading[];
  readonly tables: ReadonlyMap<TableName, TableFile>;
}

/** Writes the wanted tables of sessions as Parquet. */
export async function writeTables(work: SessionsToWrite): Promise<WrittenParquet> {
  const { wanted, take, packing } = work;
  const written = new Map(
    [...wanted].map(([name, columns]) => [
      name,
      new TableFile({ name, columns }, packing, (bytes) => take(name, bytes)),
    ]),
  );
  const sessions: SessionReading[] = [];
  for await (const { groups, sessions: read } of readTogether(work)) {
    for (const group of groups) await written.get(group.table)?.add(group);
    sessions.push(...read);
  }
  for (const table of written.values()) await table.finish();
  return { sessions, tables: written };
}

/** The bytes of the sessions that a thread reads at once. */
const BATCH_BYTES = 1 << 23;
/** The bytes of a family whose rows are written as they come, instead of by a thread that collects them. */
const HUGE_BYTES = 1 << 26;
/** The growth of heaps between collections, in percent: exports take a fifth less memory, and about 8 % more time. */
const GROWTH = 100;

/** Reads sessions in several threads, huge ones first. */
async function* readTogether({
  io,
  families,
  wanted,
  packing,
  ...work
}: SessionsToWrite): AsyncGenerator<SessionTables> {
  const files = families.flat();
  await using progress = startProgress(io, files.length, 'sessions');
  for (const family of families.filter(isReadHere)) {
    yield* readHere(io, { wanted, packing, families: [listFamilyFiles(family)] });
    for (const _ of family) progress.step();
  }
  const batches = splitIntoBatches(families.filter((family) => !isReadHere(family)));
  const inputs = batches.map((batch) => ({ wanted, packing, families: batch.map(listFamilyFiles) }));
  const sizes = batches.map((batch) => sumBy(batch, sumFamilyBytes));
  const isWorth = work.isWorthThreads ?? isWorthThreads('tables', sizes);
  if (isWorth && packing === 'small') io.saveMemory(GROWTH);
  const how = { sizes, isLarge: true, isLight: packing === 'fast', isWorthThreads: isWorth };
  for await (const output of runJobsOrThrow(io, { job: 'tables', inputs, ...how })) {
    yield output;
    for (const _ of output.sessions) progress.step();
  }
}

/**
 * Whether this thread reads a family: the others have no standard input, and a huge family would take the memory of
 * many.
 */
function isReadHere(family: Family): boolean {
  return sumFamilyBytes(family) >= HUGE_BYTES || family.some(({ file }) => file === '-');
}

async function* readHere(io: Io, input: TablesInput): AsyncGenerator<SessionTables> {
  const reading = readRowGroups(input, (file) => openForCommand(io, file));
  for (;;) {
    const { done, value } = await reading.next();
    yield done ? { groups: [], sessions: value } : { groups: [value], sessions: [] };
    if (done) return;
  }
}

/** Splits families into batches of about `BATCH_BYTES`, in their order. */
function splitIntoBatches(families: readonly Family[]): readonly (readonly Family[])[] {
  const batches: Family[][] = [];
  let bytes = Infinity;
  for (const family of families) {
    if (bytes >= BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(family);
    bytes += sumFamilyBytes(family);
  }
  return batches;
}
