import path from 'node:path';
import { tables, TABLES_VERSION } from '#analysis/tables/index.js';
import { isObject } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { Threads } from '#platform/threads.js';
import { readJsonFile } from '../read-json.js';
import { type Family, groupFamilies } from '../sessions/families.js';
import { isWorthThreads } from '../sessions/parallel.js';
import type { NamedFile } from '../sessions/session-files.js';
import { writeTableFiles, type WrittenTableFiles } from './write-table-files.js';

/** Sessions, and the dataset that they are written to. */
interface DatasetToWrite {
  readonly io: Io;
  readonly files: readonly NamedFile[];
  readonly folder: string;
  /** The machine, or any other writer of its own partitions. */
  readonly host: string;
}

/** The states of session files by their path, as a day was written with them. */
type DayStates = Readonly<Record<string, { readonly file: string; readonly state: string | null }>>;

/**
 * Brings the partitions of a host up to date: `usage/host=alpha/day=2026-03-02/usage.parquet`. A session belongs to the
 * day on which the first of its family began. A day with a new, changed or deleted session is written again; each of
 * its files is replaced in one step, and the list of days follows.
 */
export async function writeDataset({ io, files, folder, host }: DatasetToWrite): Promise<WrittenTableFiles> {
  const written: WrittenTableFiles = { sessions: [], files: [] };
  const own = `host=${encodeURIComponent(host)}`;
  const list = path.join(folder, `_ctx.${own}.json`);
  const writtenDays = await readDays(io, list);
  const days = await groupByDay(io, [...files, ...listEarlierFiles(io, files, writtenDays)]);
  for (const day of writtenDays.keys()) {
    if (!days.has(day)) days.set(day, []);
  }
  const changed = [...days]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([day, families]) => ({ day, families, states: readStates(io, families) }))
    .filter(({ day, states }) => !isUnchanged(states, writtenDays.get(day)));
  // Sessions of a short day are read by a thread as well, because this one would need its memory too.
  const isWorth = isWorthThreads(
    'tables',
    changed.flatMap(({ families }) => families.flat().map(({ size }) => size)),
  );
  const threads = shareThreads(io);
  try {
    for (const { day, families, states } of changed) {
      const { sessions, files: tableFiles } = await writeTableFiles({
        io: threads.io,
        families,
        folderOf: (table) => path.join(folder, table, own, `day=${day}`),
        force: true,
        isWorthThreads: isWorth,
      });
      written.sessions.push(...sessions);
      written.files.push(...tableFiles);
      // States of before the session was read: one that has changed since is written again by the next run.
      writtenDays.set(day, states);
      const content = JSON.stringify({ ...FORM, days: Object.fromEntries(writtenDays) });
      await writeNewFile(io.files.createNew, list, content, { force: true, like: null });
    }
  } finally {
    await threads.end();
  }
  return written;
}

/** The form of the tables. A column may be added without a new version. */
const FORM = {
  tablesVersion: TABLES_VERSION,
  columns: tables.reduce((sum, { columns }) => sum + Object.keys(columns).length, 0),
};

/** The days of the last run. Those that were written in another form count as changed. */
async function readDays({ files }: Io, list: string): Promise<Map<string, DayStates>> {
  const content: unknown = files.exists(list) ? await readJsonFile(files, list).catch(() => null) : null;
  if (!isObject(content) || !isObject(content.days)) return new Map();
  const days = Object.entries(content.days) as [string, DayStates][];
  const isSameForm = content.tablesVersion === FORM.tablesVersion && content.columns === FORM.columns;
  return new Map(isSameForm ? days : days.map(([day, states]) => [day, markChanged(states)]));
}

/** The states of a day such that each file counts as changed. */
function markChanged(day: DayStates): DayStates {
  return Object.fromEntries(Object.entries(day).map(([place, { file }]) => [place, { file, state: '' }]));
}

/** Sessions of earlier runs that are not among the files of this one. */
function listEarlierFiles(
  io: Io,
  files: readonly NamedFile[],
  days: ReadonlyMap<string, DayStates>,
): readonly NamedFile[] {
  const named = new Set(files.map(({ file }) => resolvePath(io, file)));
  const earlier = [...days.values()].flatMap((day) => Object.keys(day)).filter((file) => !named.has(file));
  return earlier.flatMap((file) => io.files.walk(file).files);
}

function resolvePath({ cwd }: Io, file: string): string {
  return path.resolve(cwd || '/', file);
}

async function groupByDay(io: Io, files: readonly NamedFile[]): Promise<Map<string, Family[]>> {
  const days = new Map<string, Family[]>();
  for (const family of await groupFamilies(io, files)) addTo(days, findDay(family), family);
  return days;
}

/** The partition of an unknown day, as Hive names it. */
const UNKNOWN_DAY = '__HIVE_DEFAULT_PARTITION__';

/** The day on which the first session of a family began, in UTC. */
function findDay([first]: Family): string {
  const time = Date.parse(first?.header?.timestamp ?? '');
  return Number.isNaN(time) ? UNKNOWN_DAY : new Date(time).toISOString().slice(0, 10);
}

/** The states of all files of families, by their paths, in a fixed order. */
function readStates(io: Io, families: readonly Family[]): DayStates {
  const states = families.flat().map(({ file }) => {
    const state = file === '-' ? null : io.files.state(file, io.now());
    return [resolvePath(io, file), { file, state }] as const;
  });
  return Object.fromEntries(states.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** A file without a state may have changed. */
function isUnchanged(day: DayStates, written: DayStates | undefined): boolean {
  return JSON.stringify(day) === JSON.stringify(written) && Object.values(day).every(({ state }) => state !== null);
}

/** Threads that start when they are first needed, and serve all days. They end when `end` is called. */
function shareThreads(io: Io): { readonly io: Io; end(): Promise<void> } {
  let threads: Promise<Threads | null> | null = null;
  const startThreads = async (): Promise<Threads | null> => {
    threads ??= io.startThreads();
    const shared = await threads;
    return shared && { ...shared, end: () => Promise.resolve() };
  };
  return { io: { ...io, startThreads }, end: async () => (await threads)?.end() };
}
