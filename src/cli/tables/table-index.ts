import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { QueriedColumns, TableName } from '#analysis/tables/index.js';
import type { IndexFolder } from '#platform/files/index-folder.js';
import type { Io } from '#platform/io.js';
import { type Family, groupFamilies, listFamilyFiles } from '../sessions/families.js';
import { type FileStates, IndexPack, readFileStates } from '../sessions/index-pack.js';
import type { NamedFile } from '../sessions/session-files.js';
import type { SessionReading } from './session-tables.js';
import { writeTables } from './write-tables.js';

/** Tables of sessions that SQL asks for. */
export interface TableQuery {
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

/**
 * Provides tables of sessions: those of earlier runs for sessions that have not changed since, and new ones for the
 * others. The index has segments, each with the rows and columns that one run has added; a table is a union of them.
 */
export async function provideTables(query: TableQuery): Promise<ProvidedTables> {
  const { io, files, wanted, append } = query;
  const families = (await groupFamilies(io, files)).map((members): FamilyState => {
    const names = listFamilyFiles(members);
    return { members, names, ...readFileStates(io, names) };
  });
  const index = await io.openIndex();
  const tables = [...wanted].map(([name, columns]) => new IndexedTable({ io, index }, name, columns));
  let indexed: readonly FamilyState[] = index === null ? [] : families;
  for (const table of tables) indexed = await table.copySegments(indexed, append);
  const parts = new Map(tables.map((table) => [table.name, table.listParts(indexed)]));
  const sessions = indexed.flatMap((family) => tables[0]?.sessionsOf(family) ?? []);

  const isIndexed = new Set(indexed);
  const missing = families.filter((family) => !isIndexed.has(family));
  if (missing.length === 0) return { parts, sessions };
  const read = await writeMissing(query, missing, tables);
  for (const name of wanted.keys()) parts.get(name)?.push({ name: nameTableFile(name), only: null });
  return { parts, sessions: [...sessions, ...read] };
}

/** The files with the rows of each table, and the sessions that were read for them. */
interface ProvidedTables {
  readonly parts: ReadonlyMap<TableName, readonly TablePart[]>;
  readonly sessions: readonly SessionReading[];
}

/** Reads families that the index lacks, writes their rows for SQL, and adds them to the index. */
async function writeMissing(
  { io, wanted, append }: TableQuery,
  missing: readonly FamilyState[],
  tables: readonly IndexedTable[],
): Promise<readonly SessionReading[]> {
  const copies = new Map([...wanted.keys()].map((name) => [name, new SegmentCopy()]));
  const take = async (name: TableName, bytes: Uint8Array): Promise<void> => {
    copies.get(name)?.add(bytes);
    await append(nameTableFile(name), bytes);
  };
  const families = missing.map(({ members }) => members);
  const { sessions } = await writeTables({ io, families, wanted, take, packing: 'fast' });
  for (const table of tables) table.addSegment({ families: missing, sessions }, copies.get(table.name));
  return sessions;
}

function nameTableFile(name: string): string {
  return `${name}.parquet`;
}

/** A family of sessions in the state in which it was found. */
interface FamilyState extends FileStates {
  readonly members: Family;
  readonly names: readonly string[];
}

/** The rows of a family in the index. */
interface IndexedRows {
  readonly columns: readonly string[];
  /** The file of the index with its rows. */
  readonly segment: string;
  /** The number of families that the segment was written with. */
  readonly among: number;
  readonly sessions: readonly SessionReading[];
}

/** A segment with the families in it whose rows are still those of their files. */
interface LiveSegment {
  readonly families: FamilyState[];
  /** The number of families that it was written with. */
  readonly among: number;
}

/** The families that a run has read. */
interface NewRows {
  readonly families: readonly FamilyState[];
  readonly sessions: readonly SessionReading[];
}

/** The most bytes of a segment: larger ones would leave no room for others. */
const MOST_BYTES = 1 << 26;

/** The bytes of a table that is being written. */
class SegmentCopy {
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

/** With more segments than these, the sessions in the smaller half are read again, which joins their rows. */
const MOST_SEGMENTS = 24;

/** The number of segments that may have rows of one family, each with other columns. */
const MOST_OF_FAMILY = 4;

/** A table with its rows in the index. Without an index, it has none. */
class IndexedTable {
  private readonly index: IndexFolder | null;
  /** The newest entries of each family first. */
  private readonly pack: IndexPack<readonly IndexedRows[]> | null;

  constructor(
    { io, index }: { readonly io: Io; readonly index: IndexFolder | null },
    readonly name: TableName,
    private readonly wanted: ReadonlySet<string>,
  ) {
    this.index = index;
    this.pack = index && new IndexPack(io, index, `tables ${name}`);
  }

  sessionsOf(family: FamilyState): readonly SessionReading[] {
    return this.rowsOf(family)?.sessions ?? [];
  }

  /** The entry of a family that has not changed, with all wanted columns. */
  private rowsOf(family: FamilyState): IndexedRows | undefined {
    return this.pack?.answerTo(family)?.find(({ columns }) => isSubset(this.wanted, columns));
  }

  /** Copies the segments of families that have not changed, unless they are mostly obsolete. Returns these families. */
  async copySegments(families: readonly FamilyState[], append: TableQuery['append']): Promise<readonly FamilyState[]> {
    const live = families.filter((family) => this.rowsOf(family));
    const largestFirst = [...this.groupBySegment(live)]
      .filter(([, { families: own, among }]) => own.length * 2 > among)
      .toSorted(([, one], [, other]) => other.families.length - one.families.length);
    const most = largestFirst.length > MOST_SEGMENTS ? MOST_SEGMENTS / 2 : MOST_SEGMENTS;
    const ready: FamilyState[] = [];
    for (const [segment, all] of largestFirst.slice(0, most)) {
      const bytes = this.index?.read(segment);
      if (!bytes) continue;
      await append(nameTableFile(segment), bytes);
      ready.push(...all.families);
    }
    return ready;
  }

  /** The parts of a table with the rows of these families. */
  listParts(families: readonly FamilyState[]): TablePart[] {
    return [...this.groupBySegment(families)].map(([segment, { families: live, among }]) => ({
      name: nameTableFile(segment),
      only: live.length === among ? null : live.flatMap(({ names }) => names),
    }));
  }

  /** Adds the rows of a run as a segment. A family counts if it has not changed, and all of it could be read. */
  addSegment({ families, sessions }: NewRows, copy: SegmentCopy | undefined): void {
    const bytes = copy?.bytes();
    const { index, pack } = this;
    if (!index || !pack || !bytes) return;
    const read = new Map(sessions.map((session) => [session.file, session]));
    const segment = createHash('sha256').update(crypto.randomUUID()).digest('hex');
    index.write(segment, bytes);
    for (const family of families) {
      const own = family.names.flatMap((file) => read.get(file) ?? []);
      if (!own.every(({ isRead }) => isRead)) continue;
      const added = { columns: [...this.wanted], segment, among: families.length, sessions: own };
      const others = (pack.answerTo(family) ?? []).filter(({ columns }) => !isSubset(columns, added.columns));
      pack.note(family, [added, ...others].slice(0, MOST_OF_FAMILY));
    }
    pack.save();
  }

  private groupBySegment(families: readonly FamilyState[]): ReadonlyMap<string, LiveSegment> {
    const segments = new Map<string, LiveSegment>();
    for (const family of families) {
      const entry = this.rowsOf(family);
      if (!entry) continue;
      const live = segments.get(entry.segment) ?? { families: [], among: entry.among };
      live.families.push(family);
      segments.set(entry.segment, live);
    }
    return segments;
  }
}

function isSubset(some: Iterable<string>, all: readonly string[]): boolean {
  return [...some].every((one) => all.includes(one));
}
