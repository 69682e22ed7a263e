import type { TableName } from '#analysis/tables/index.js';
import { CtxError, type Problem } from '#base/errors.js';
import { familiesOf } from '#cli/sessions/families.js';
import type { NamedFile } from '#cli/sessions/named-files.js';
import { resultsOf } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import { openHere } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { tabled, type TabledSession, type TablesInput } from './of-sessions.js';
import type { Packing, TablePiece } from './piece.js';
import { TableFile } from './table-file.js';

/** Sessions, and the consumers of the bytes of each wanted table. */
export interface SessionsToWrite {
  readonly io: Io;
  readonly files: readonly NamedFile[];
  readonly takers: ReadonlyMap<TableName, (bytes: Uint8Array) => Promise<void>>;
  readonly packing: Packing;
}

export interface Written {
  readonly sessions: number;
  readonly tables: ReadonlyMap<TableName, TableFile>;
  readonly problems: readonly Problem[];
}

/**
 * Writes tables of sessions as Parquet: families together and parents first. Throws a CtxError (input) if no session
 * can be read.
 */
export async function writeTables({ io, files, takers, packing }: SessionsToWrite): Promise<Written> {
  const tables = new Map([...takers].map(([name, take]) => [name, new TableFile(name, packing, take)]));
  const problems: Problem[] = [];
  let sessions = 0;
  const wanted = [...takers.keys()];
  for await (const { pieces, sessions: read } of tabledTogether(io, files, { wanted, packing })) {
    for (const piece of pieces) await tables.get(piece.table)?.add(piece);
    sessions += read.filter(({ isRead }) => isRead).length;
    problems.push(...read.flatMap(({ problem }) => problem ?? []));
  }
  if (sessions === 0) throw new CtxError('input', 'no session can be read', { where: problems[0]?.message ?? '' });
  for (const table of tables.values()) await table.finish();
  return { sessions, tables, problems };
}

interface Tabled {
  readonly pieces: Iterable<TablePiece>;
  readonly sessions: readonly TabledSession[];
}

/** The size of sessions that a thread reads at once. */
const BATCH_BYTES = 1 << 23;
/** The size of a family from which its rows are written as they come, instead of by a thread that collects them. */
const HUGE_BYTES = 1 << 26;
/** Below this size, starting threads takes longer than they save. */
const BIG_BYTES = 20e6;

/** Reads sessions in several threads, huge ones first. */
async function* tabledTogether(
  io: Io,
  files: readonly NamedFile[],
  how: Omit<TablesInput, 'families'>,
): AsyncGenerator<Tabled> {
  const progress = startProgress(io, files.length, 'sessions');
  try {
    const families = familiesOf(io, files);
    const isHere = (family: readonly NamedFile[]): boolean => sizeOf(family) >= HUGE_BYTES || isInput(family);
    for (const family of families.filter(isHere)) {
      yield* tabledHere(io, { ...how, families: [family.map(({ file }) => file)] });
      for (const _ of family) progress.step();
    }
    const inputs = batchesOf(families.filter((family) => !isHere(family))).map((batch) => ({
      ...how,
      families: batch,
    }));
    const isBig = inputs.length > 1 && sizeOf(files) >= BIG_BYTES;
    for await (const results of resultsOf(io, { job: 'tables', inputs, isBig, isLarge: true })) {
      for (const result of results) {
        if (!result.ok) throw result.cause;
        yield result.output;
        for (const _ of result.output.sessions) progress.step();
      }
      await progress.clear();
    }
  } finally {
    await progress.clear();
  }
}

function isInput(family: readonly NamedFile[]): boolean {
  return family.some(({ file }) => file === '-');
}

function sizeOf(files: readonly NamedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

async function* tabledHere(io: Io, input: TablesInput): AsyncGenerator<Tabled> {
  const tabling = tabled(input, (file) => openHere(io, file));
  for (;;) {
    const { done, value } = await tabling.next();
    yield done ? { pieces: [], sessions: value } : { pieces: [value], sessions: [] };
    if (done) return;
  }
}

type Batch = TablesInput['families'];

function batchesOf(families: readonly (readonly NamedFile[])[]): readonly Batch[] {
  const batches: string[][][] = [];
  let bytes = Infinity;
  for (const family of families) {
    if (bytes >= BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(family.map(({ file }) => file));
    bytes += sizeOf(family);
  }
  return batches;
}
