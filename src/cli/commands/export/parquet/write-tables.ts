import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { type TableName, tables } from '#analysis/tables/index.js';
import { rowsOfSession } from '#analysis/tables/of-session.js';
import { CtxError, type Problem, warning } from '#base/errors.js';
import { familiesOf } from '#cli/sessions/families.js';
import type { NamedFile } from '#cli/sessions/named-files.js';
import { startProgress } from '#cli/sessions/progress.js';
import { openHere } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { countDamage } from '#session/session.js';
import { TableFile, type WriteBytes } from './table-file.js';

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

/** Rows of this many bytes of sessions are held at most: the texts in them are parts of what was read. */
const BYTES_TOGETHER = 1 << 26;

/** Gives what has to be said of a session, if anything. */
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
