import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { addSessionRows } from '#analysis/tables/add-session-rows.js';
import type { TableValue } from '#analysis/tables/define.js';
import type { QueriedColumns } from '#analysis/tables/index.js';
import { TableRows } from '#analysis/tables/row-groups.js';
import { buildWarning, CtxError, type Problem, toInputError } from '#base/errors.js';
import { type OpenSession, openSession } from '#context/open.js';
import type { Files } from '#platform/files/files.js';
import { OutlineReader } from '#session/scan/entry-outline.js';
import { countDamage } from '#session/session.js';
import { createColumnStorage, type EncodedColumn, type EncodedRows, type Packing } from './encode-column.js';

/** Sessions whose rows are collected together. */
export interface TablesInput {
  /** Sessions that derive from each other, parents first. Shared entries belong to the first session that has them. */
  readonly families: readonly (readonly string[])[];
  readonly wanted: QueriedColumns;
  readonly packing: Packing;
}

/** A session whose rows were wanted, and whether it could be read. */
export interface SessionReading {
  readonly file: string;
  readonly isRead: boolean;
  /** The reason why it was not read, or a warning about damage; null for none. */
  readonly problem: Problem | null;
}

/** The rows of sessions, encoded. */
export interface SessionTables {
  readonly groups: readonly EncodedRows[];
  readonly sessions: readonly SessionReading[];
}

/** The rows of sessions, one or several groups for each table. */
export async function readTables(files: Files, input: TablesInput): Promise<SessionTables> {
  const groups: EncodedRows[] = [];
  const reading = readRowGroups(input, (file) => openSession(file, files));
  for (;;) {
    const { done, value } = await reading.next();
    if (done) return { groups, sessions: value };
    groups.push(value);
  }
}

type OpenFile = (file: string) => Promise<OpenSession>;

/** Reads the tables, and yields each group of rows as soon as it is large. */
export async function* readRowGroups(
  { families, wanted, packing }: TablesInput,
  open: OpenFile,
): AsyncGenerator<EncodedRows, readonly SessionReading[]> {
  const rows = new RowCollector(wanted, packing);
  for (const family of families) {
    const shared = new SharedEntries();
    for (const file of family) yield* rows.take(file, { open, shared, isLast: file === family.at(-1) });
  }
  yield* rows.takeAll();
  return rows.sessions;
}

/** One reader for all batches of a thread: starting its scanner takes longer than reading a small session. */
const outlines = new OutlineReader();

/** The size of sessions from which their rows are encoded, to limit memory: their texts reference the bytes read. */
const BYTES_TOGETHER = 1 << 23;

/** The rows of sessions that are read one after the other. */
class RowCollector {
  readonly sessions: SessionReading[] = [];
  private readonly rows: TableRows<TableValue[], EncodedColumn>;
  private heldBytes = 0;

  constructor(
    private readonly wanted: QueriedColumns,
    packing: Packing,
  ) {
    this.rows = new TableRows(wanted, createColumnStorage(packing));
  }

  /** Reads a session, and yields groups of rows that are large enough. A session that cannot be read has no rows. */
  async *take(
    file: string,
    { open, shared, isLast }: { readonly open: OpenFile; readonly shared: SharedEntries; readonly isLast: boolean },
  ): AsyncGenerator<EncodedRows> {
    let isBegun = false;
    const forget = this.rows.mark();
    try {
      const session = await open(file);
      try {
        const { wanted } = this;
        for (const _ of addSessionRows({ session, shared, wanted, outlines }, this.rows, BYTES_TOGETHER)) {
          isBegun = true;
          yield* this.rows.take(true);
        }
        if (!isLast) shared.note(session);
        this.heldBytes += session.scan.size;
        const problem = countDamage(session) === 0 ? null : buildWarning('damaged-session', `${file}; see ctx check`);
        this.sessions.push({ file, isRead: true, problem });
      } finally {
        session.close();
      }
    } catch (error) {
      const why = isBegun ? null : toInputError(error);
      if (why === null) throw error;
      forget();
      this.sessions.push({
        file,
        isRead: false,
        problem: buildWarning('unreadable-session', `${file}: ${why.message}`),
      });
    }
    if (this.heldBytes >= BYTES_TOGETHER) yield* this.takeAll();
  }

  /** The rows so far. */
  takeAll(): Generator<EncodedRows> {
    this.heldBytes = 0;
    return this.rows.take();
  }
}

/** The problems of sessions. Throws a CtxError (input) if none of them could be read. */
export function listReadProblems(sessions: readonly SessionReading[]): readonly Problem[] {
  const problems = sessions.flatMap(({ problem }) => problem ?? []);
  if (sessions.some(({ isRead }) => isRead)) return problems;
  throw new CtxError('input', 'no session can be read', { where: problems[0]?.message ?? '' });
}
