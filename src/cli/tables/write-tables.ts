import path from 'node:path';
import { listAllColumns, type QueriedColumns, type TableName, tables } from '#analysis/tables/index.js';
import { CtxError, type Problem } from '#base/errors.js';
import type { Family } from '#cli/sessions/families.js';
import { isWorthThreads, runJobsOrThrow } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import { openForCommand } from '#context/open.js';
import type { NewFile } from '#platform/files/new-file.js';
import type { Io } from '#platform/io.js';
import type { Packing } from './piece.js';
import { readTablePieces, type SessionReading, type SessionTables, type TablesInput } from './session-tables.js';
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

export interface WrittenParquet {
  readonly sessions: readonly SessionReading[];
  readonly tables: ReadonlyMap<TableName, TableFile>;
}

export async function writeTables(work: SessionsToWrite): Promise<WrittenParquet> {
  const { wanted, take, packing } = work;
  const written = new Map(
    [...wanted].map(([name, columns]) => [
      name,
      new TableFile({ name, columns }, packing, (bytes) => take(name, bytes)),
    ]),
  );
  const sessions: SessionReading[] = [];
  for await (const { pieces, sessions: read } of tabledTogether(work)) {
    for (const piece of pieces) await written.get(piece.table)?.add(piece);
    sessions.push(...read);
  }
  for (const table of written.values()) await table.finish();
  return { sessions, tables: written };
}

/** Sessions, and the folders for the files of their tables. */
interface TableFilesToWrite {
  readonly io: Io;
  readonly families: readonly Family[];
  folderOf(table: TableName): string;
  /** Files that are there may be replaced. */
  readonly force: boolean;
  readonly isWorthThreads?: boolean;
  /** Throws if no file may appear. */
  check?(sessions: readonly SessionReading[]): void;
}

export interface WrittenTableFiles {
  readonly sessions: SessionReading[];
  readonly files: { readonly file: string; readonly bytes: number; readonly rows: number }[];
}

/** Writes all tables of sessions as files of their names, or none. */
export async function writeTableFiles(work: TableFilesToWrite): Promise<WrittenTableFiles> {
  const { io, families, folderOf, force, check } = work;
  const begun = new Map<TableName, { readonly file: string; readonly made: NewFile }>();
  const removeFolders: (() => void)[] = [];
  try {
    for (const { name } of tables) {
      removeFolders.unshift(await io.files.makeFolder(folderOf(name)));
      const file = path.join(folderOf(name), `${name}.parquet`);
      begun.set(name, { file, made: await io.files.createNew(file, { force, like: null }) });
    }
    const written = await writeTables({
      io,
      families,
      wanted: listAllColumns(),
      take: async (name, bytes) => begun.get(name)?.made.write(bytes),
      packing: 'small',
      isWorthThreads: work.isWorthThreads,
    });
    check?.(written.sessions);
    for (const { made } of begun.values()) made.commit();
    const files = [...begun].flatMap(([name, { file }]) => {
      const table = written.tables.get(name);
      return table ? [{ file, bytes: table.bytes, rows: table.rows }] : [];
    });
    return { sessions: [...written.sessions], files };
  } catch (error) {
    for (const { made } of begun.values()) made.abandon();
    for (const remove of removeFolders) remove();
    throw error;
  }
}

/** The problems of sessions. Throws a CtxError (input) if none of them could be read. */
export function listReadProblems(sessions: readonly SessionReading[]): readonly Problem[] {
  const problems = sessions.flatMap(({ problem }) => problem ?? []);
  if (sessions.some(({ isRead }) => isRead)) return problems;
  throw new CtxError('input', 'no session can be read', { where: problems[0]?.message ?? '' });
}

/** The size of sessions that a thread reads at once. */
const BATCH_BYTES = 1 << 23;
/** The size of a family from which its rows are written as they come, instead of by a thread that collects them. */
const HUGE_BYTES = 1 << 26;
/** The growth of heaps between collections, in percent: exports take a fifth less memory, and about 8 % more time. */
const GROWTH = 100;

/** Reads sessions in several threads, huge ones first. */
async function* tabledTogether({
  io,
  families,
  wanted,
  packing,
  ...work
}: SessionsToWrite): AsyncGenerator<SessionTables> {
  const files = families.flat();
  await using progress = startProgress(io, files.length, 'sessions');
  for (const family of families.filter(isHere)) {
    yield* tabledHere(io, { wanted, packing, families: [namesOf(family)] });
    for (const _ of family) progress.step();
  }
  const batches = batchesOf(families.filter((family) => !isHere(family)));
  const inputs = batches.map((batch) => ({ wanted, packing, families: batch.map(namesOf) }));
  const sizes = batches.map((batch) => sizeOf(batch.flat()));
  const isWorth = work.isWorthThreads ?? isWorthThreads('tables', sizes);
  if (isWorth && packing === 'small') io.saveMemory(GROWTH);
  const how = { sizes, isLarge: true, isLight: packing === 'fast', isWorthThreads: isWorth };
  for await (const output of runJobsOrThrow(io, { job: 'tables', inputs, ...how })) {
    yield output;
    for (const _ of output.sessions) progress.step();
  }
}

/** Only this thread has a standard input, and a huge family takes the memory of many. */
function isHere(family: Family): boolean {
  return sizeOf(family) >= HUGE_BYTES || family.some(({ file }) => file === '-');
}

function namesOf(family: Family): readonly string[] {
  return family.map(({ file }) => file);
}

function sizeOf(files: Family): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

async function* tabledHere(io: Io, input: TablesInput): AsyncGenerator<SessionTables> {
  const tabling = readTablePieces(input, (file) => openForCommand(io, file));
  for (;;) {
    const { done, value } = await tabling.next();
    yield done ? { pieces: [], sessions: value } : { pieces: [value], sessions: [] };
    if (done) return;
  }
}

function batchesOf(families: readonly Family[]): readonly (readonly Family[])[] {
  const batches: Family[][] = [];
  let bytes = Infinity;
  for (const family of families) {
    if (bytes >= BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(family);
    bytes += sizeOf(family);
  }
  return batches;
}
