import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import path from 'node:path';
import v8 from 'node:v8';
import type { QueriedColumns, TableName } from '#analysis/tables/index.js';
import type { NamedFile } from '#cli/sessions/named-files.js';
import type { IndexFolder } from '#platform/files/index-folder.js';
import type { Io } from '#platform/io.js';
import { familiesOf } from '../sessions/named-files.js';
import type { TabledSession } from './of-sessions.js';
import { type Family, writeTables } from './write-tables.js';

/** Tables of sessions that SQL asks for. */
export interface TablesToAsk {
  readonly io: Io;
  readonly files: readonly NamedFile[];
  readonly wanted: QueriedColumns;
  /** Appends bytes to a file that SQL can read. */
  append(name: string, bytes: Uint8Array): Promise<void>;
}

/** A file with rows of a table. It may have more columns than are wanted. */
interface TablePart {
  readonly name: string;
  /** The sessions whose rows count; null for all. */
  readonly only: readonly string[] | null;
}

interface AskedTables {
  readonly parts: ReadonlyMap<TableName, readonly TablePart[]>;
  readonly sessions: readonly TabledSession[];
}

/**
 * Provides tables of sessions: those of earlier runs for sessions that have not changed since, and new ones for the
 * others. The index has segments, each with the rows and columns that one run has added; a table is a union of them.
 */
export async function tablesToAsk(ask: TablesToAsk): Promise<AskedTables> {
  const { io, files, wanted, append } = ask;
  const families = familiesOf(io, files).map((members) => questionOf(io, members));
  const index = await io.openIndex();
  const tables = [...wanted].map(([name, columns]) => new RememberedTable(index, name, columns));
  let known: readonly Question[] = index === null ? [] : families;
  for (const table of tables) known = await table.ready(known, append);
  const isKnown = new Set(known);
  const missing = families.filter((family) => !isKnown.has(family));
  const parts = new Map(tables.map((table) => [table.name, table.parts(known)]));
  const sessions = known.flatMap((family) => tables[0]?.sessionsOf(family) ?? []);
  if (missing.length === 0) return { parts, sessions };
  const copies = new Map([...wanted.keys()].map((name) => [name, new Copy()]));
  const take = async (name: TableName, bytes: Uint8Array): Promise<void> => {
    copies.get(name)?.add(bytes);
    await append(fileOf(name), bytes);
  };
  const written = await writeTables({
    io,
    families: missing.map(({ members }) => members),
    wanted,
    take,
    packing: 'fast',
  });
  for (const name of wanted.keys()) parts.get(name)?.push({ name: fileOf(name), only: null });
  for (const table of tables) table.add(io, { families: missing, ...written }, copies.get(table.name));
  return { parts, sessions: [...sessions, ...written.sessions] };
}

function fileOf(name: string): string {
  return `${name}.parquet`;
}

/** A family of sessions in the state in which it was found. */
interface Question {
  readonly members: Family;
  /** The files as they were passed, since rows name them so, and their paths. */
  readonly key: string;
  readonly paths: readonly string[];
  /** Null for files that may change without being noticed. */
  readonly state: string | null;
}

function questionOf(io: Io, members: Family): Question {
  const names = members.map(({ file }) => file);
  const paths = names.map((name) => path.resolve(io.cwd || '/', name));
  return { members, key: JSON.stringify([names, paths]), paths, state: stateOf(io, members) };
}

function stateOf({ files, now }: Io, members: Family): string | null {
  const states = members.map(({ file }) => (file === '-' ? null : files.state(file, now())));
  return states.includes(null) ? null : states.join(' ');
}

interface Entry {
  readonly paths: readonly string[];
  readonly state: string;
  readonly columns: readonly string[];
  /** The file of the index with its rows. */
  readonly segment: string;
  /** The number of families that the segment was written with. */
  readonly among: number;
  readonly sessions: readonly TabledSession[];
}

interface Live {
  readonly families: Question[];
  readonly among: number;
}

/** The sessions that a run has read. */
interface Run {
  readonly families: readonly Question[];
  readonly sessions: readonly TabledSession[];
}

/** The maximum size of a segment: larger ones would take the place of all others. */
const MOST_BYTES = 1 << 26;

/** The bytes of a table that is being written. */
class Copy {
  private pieces: Uint8Array[] | null = [];
  private length = 0;

  add(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (this.length > MOST_BYTES) this.pieces = null;
    this.pieces?.push(bytes);
  }

  /** Null if they are too many. */
  bytes(): Uint8Array | null {
    return this.pieces && Buffer.concat(this.pieces);
  }
}

/** From this number of segments on, the sessions in small ones are read again, which joins them. */
const MOST_SEGMENTS = 24;

/** The number of segments that may have rows of one family, each with other columns. */
const MOST_OF_FAMILY = 4;

/** The segments of a table in the index. */
class RememberedTable {
  /** The newest entries of each family first. */
  private readonly entries: Map<string, readonly Entry[]>;
  private readonly listName: string;

  constructor(
    private readonly index: IndexFolder | null,
    readonly name: TableName,
    private readonly wanted: ReadonlySet<string>,
  ) {
    this.listName = createHash('sha256')
      .update(index?.program ?? '')
      .update(`tables ${name}`)
      .digest('hex');
    const bytes = index?.read(this.listName) ?? null;
    // The sum of the bytes is right, so another run of the same program has written them.
    this.entries = bytes === null ? new Map() : (v8.deserialize(bytes) as Map<string, readonly Entry[]>);
  }

  sessionsOf(family: Question): readonly TabledSession[] {
    return this.entryOf(family)?.sessions ?? [];
  }

  /** The entry of a family that has not changed, with all wanted columns. */
  private entryOf({ key, state }: Question): Entry | undefined {
    return this.entries.get(key)?.find((entry) => entry.state === state && isPart(this.wanted, entry.columns));
  }

  /** Copies the segments of families that have not changed, unless they are mostly obsolete. Returns these families. */
  async ready(families: readonly Question[], append: TablesToAsk['append']): Promise<readonly Question[]> {
    const live = families.filter((family) => this.entryOf(family));
    const worth = [...this.bySegment(live)]
      .filter(([, all]) => all.families.length * 2 > all.among)
      .toSorted(([, one], [, other]) => other.families.length - one.families.length);
    const ready: Question[] = [];
    for (const [segment, all] of worth.slice(0, worth.length > MOST_SEGMENTS ? MOST_SEGMENTS / 2 : MOST_SEGMENTS)) {
      const bytes = this.index?.read(segment);
      if (!bytes) continue;
      await append(fileOf(segment), bytes);
      ready.push(...all.families);
    }
    return ready;
  }

  /** The parts of a table with the rows of these families. */
  parts(families: readonly Question[]): TablePart[] {
    return [...this.bySegment(families)].map(([segment, { families: live, among }]) => ({
      name: fileOf(segment),
      only: live.length === among ? null : live.flatMap(({ members }) => members.map(({ file }) => file)),
    }));
  }

  /** Adds the rows of a run as a segment. A family counts if it has not changed, and all of it could be read. */
  add(io: Io, { families, sessions }: Run, copy: Copy | undefined): void {
    const bytes = copy?.bytes();
    if (!this.index || !bytes) return;
    const read = new Map(sessions.map((session) => [session.file, session]));
    const segment = createHash('sha256').update(crypto.randomUUID()).digest('hex');
    this.index.write(segment, bytes);
    for (const { members, key, paths, state } of families) {
      const own = members.flatMap(({ file }) => read.get(file) ?? []);
      if (state === null || stateOf(io, members) !== state || !own.every(({ isRead }) => isRead)) continue;
      const added = { paths, state, columns: [...this.wanted], segment, among: families.length, sessions: own };
      const others = (this.entries.get(key) ?? []).filter(
        (entry) => entry.state === state && !isPart(entry.columns, added.columns),
      );
      this.entries.set(key, [added, ...others].slice(0, MOST_OF_FAMILY));
    }
    const entries = [...this.entries].filter(([, [entry]]) => entry?.paths.every((file) => io.files.exists(file)));
    this.index.write(this.listName, v8.serialize(new Map(entries)));
  }

  private bySegment(families: readonly Question[]): ReadonlyMap<string, Live> {
    const segments = new Map<string, Live>();
    for (const family of families) {
      const entry = this.entryOf(family);
      if (!entry) continue;
      const live = segments.get(entry.segment) ?? { families: [], among: entry.among };
      live.families.push(family);
      segments.set(entry.segment, live);
    }
    return segments;
  }
}

function isPart(some: Iterable<string>, all: readonly string[]): boolean {
  return [...some].every((one) => all.includes(one));
}
