import { SharedEntries } from '#analysis/stats/count-session.js';
import { addSessionRows } from '#analysis/tables/add-session-rows.js';
import type { QueriedColumns } from '#analysis/tables/index.js';
import { TableRows } from '#analysis/tables/row-groups.js';
import { buildWarning, type Problem, toInputError } from '#base/errors.js';
import { type OpenSession, openSession } from '#context/open.js';
import type { Files } from '#platform/files/files.js';
import { OutlineReader } from '#session/scan/entry-outline.js';
import { countDamage } from '#session/session.js';
import type { PieceValues } from './piece-values.js';
import { createPieceStorage, type Packing, type PieceColumn, type TablePiece } from './piece.js';

/** Sessions whose rows are collected together. */
export interface TablesInput {
  /** Sessions that derive from each other, parents first. Shared entries belong to the first session that has them. */
  readonly families: readonly (readonly string[])[];
  readonly wanted: QueriedColumns;
  readonly packing: Packing;
}

export interface SessionReading {
  readonly file: string;
  readonly isRead: boolean;
  readonly problem: Problem | null;
}

export interface SessionTables {
  readonly pieces: readonly TablePiece[];
  readonly sessions: readonly SessionReading[];
}

/** The rows of sessions, a piece for each table. */
export async function readTables(files: Files, input: TablesInput): Promise<SessionTables> {
  const pieces: TablePiece[] = [];
  const tabling = readTablePieces(input, (file) => openSession(file, files));
  for (;;) {
    const { done, value } = await tabling.next();
    if (done) return { pieces, sessions: value };
    pieces.push(value);
  }
}

type Open = (file: string) => Promise<OpenSession>;

/** Like `readTables`, but yields pieces as soon as they are large. */
export async function* readTablePieces(
  { families, wanted, packing }: TablesInput,
  open: Open,
): AsyncGenerator<TablePiece, readonly SessionReading[]> {
  const tabling = new Tabling(wanted, packing);
  for (const family of families) {
    const shared = new SharedEntries();
    for (const file of family) yield* tabling.take(file, { open, shared, isLast: file === family.at(-1) });
  }
  yield* tabling.pieces();
  return tabling.sessions;
}

/** One reader for all batches of a thread: starting its scanner takes longer than reading a small session. */
const outlines = new OutlineReader();

/** The size of sessions from which their rows are encoded, to limit memory: their texts reference the bytes read. */
const BYTES_TOGETHER = 1 << 24;

class Tabling {
  readonly sessions: SessionReading[] = [];
  private readonly rows: TableRows<PieceValues, PieceColumn>;
  private heldBytes = 0;

  constructor(
    private readonly wanted: QueriedColumns,
    packing: Packing,
  ) {
    this.rows = new TableRows(wanted, createPieceStorage(packing));
  }

  async *take(
    file: string,
    { open, shared, isLast }: { readonly open: Open; readonly shared: SharedEntries; readonly isLast: boolean },
  ): AsyncGenerator<TablePiece> {
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
    if (this.heldBytes >= BYTES_TOGETHER) yield* this.pieces();
  }

  /** The rows so far. */
  pieces(): Generator<TablePiece> {
    this.heldBytes = 0;
    return this.rows.take();
  }
}
