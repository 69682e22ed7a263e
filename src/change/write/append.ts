import { CtxError } from '#base/errors.js';
import { readPatch } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build.js';
import { hashEnvelope } from '#context/replay/hash.js';
import type { AppendFile } from '#platform/files/append-file.js';
import { type Files, type Io, nodeFiles } from '#platform/io.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { hashSource } from '../bytes/hash-source.js';
import { Rope } from '../bytes/rope.js';
import { encodeEntries, type Plan, type WrittenDocument } from '../plan/plan.js';
import { encodeJournal, type JournalRecovery, recoverInterruptedWrite } from './journal.js';

type WriteIo = Pick<Io, 'now'> & { readonly files: Pick<Files, 'open' | 'openToAppend' | 'createNew'> };

export interface ApplyOptions {
  /** A new file that gets the session with the entries, in place of the session itself. */
  readonly output?: string | undefined;
  /** Overwrite an existing output file; keep entries that another program wrote after an interrupted write. */
  readonly force?: boolean | undefined;
  /** The bytes that the plan was made for, where the file holds others; only for a new file. */
  readonly source?: ByteSource | undefined;
}

/** The result of a write. */
export type WriteResult = Pick<WrittenDocument, 'file' | 'oldSize' | 'newSize' | 'notes'>;

/**
 * Appends the entries of a plan: all of them or none. The file is locked, compared with the plan, written to in one
 * piece, flushed, read back and replayed; if the result differs from the plan, the file is cut to its old length. Throws a
 * CtxError (refused) with the reason.
 */
export async function applyPlan(io: WriteIo, plan: Plan, options: ApplyOptions = {}): Promise<WriteResult> {
  const { output, force = false, source } = options;
  const { file: named } = plan.session;
  if (named === '-') {
    throw new CtxError('refused', 'cannot append to standard input', {
      hint: 'save the session to a file first',
    });
  }
  if (output !== undefined) return writeCopy(io, plan, { output, force, source });
  const file = await io.files.openToAppend(named);
  try {
    const recovered = recoverInterruptedWrite(file, named, force);
    const { modified } = file.look();
    refuseChanged(file, plan);
    const watchers = file.processes();
    append(file, plan);
    const { size } = plan.session;
    const notes = [...listWriteNotes({ recovered, watchers, age: io.now() - modified })];
    return { file: named, oldSize: size, newSize: size + encodeEntries(plan).length, notes };
  } finally {
    await file.release();
  }
}

/** The session must be what the plan was made for, byte for byte. */
function refuseChanged(file: AppendFile, { session }: Plan): void {
  const before = file.look();
  const source = file.source();
  const isEqual = source.size === session.size && hashSource(source) === session.sha256;
  const after = file.look();
  const isStill = after.size === before.size && after.modified === before.modified && file.isInPlace();
  if (!isEqual || !isStill) throw buildRefusal('changed', session.file);
}

const AGAIN = 'create the plan again';

/** The reasons why a plan is not written, each with a hint. */
const REASONS = {
  changed: ['the session has changed since the plan was created; nothing was written', AGAIN],
  full: [
    'no space is left on the disk; nothing was written',
    'free some space, or write a copy with --output NEW.jsonl on another disk',
  ],
  interfered: [
    'another program is writing to the session; nothing was written',
    `wait until it has finished, then ${AGAIN}`,
  ],
  mispredicted: [
    'the session with these entries differs from the plan; nothing was written',
    `${AGAIN}; if the error persists, report a bug in ctx`,
  ],
  replaced: ['another program replaced the file; the new file is unchanged', AGAIN],
} as const;

export function buildRefusal(reason: keyof typeof REASONS, file: string): CtxError {
  const [what, hint] = REASONS[reason];
  return new CtxError('refused', what, { where: file, hint });
}

function append(file: AppendFile, plan: Plan): void {
  const { size, file: named } = plan.session;
  const lines = encodeEntries(plan);
  file.setJournal(encodeJournal(plan.session, lines));
  let written = 0;
  try {
    written = file.append(lines);
    if (written < lines.length) {
      // Fails with the system's reason.
      file.append(lines.subarray(written));
      throw buildRefusal('full', named);
    }
    file.flush();
    verify(file, plan, lines);
  } catch (error) {
    rollback(file, { size, lines, written });
    throw error;
  }
  file.setJournal(null);
  if (!file.isInPlace()) throw buildRefusal('replaced', named);
}

function verify(file: AppendFile, plan: Plan, lines: Uint8Array): void {
  const { size, file: named } = plan.session;
  const source = file.source();
  const end = size + lines.length;
  if (source.size < end || !areEqual(source.read(size, end), lines)) throw buildRefusal('interfered', named);
  // Entries that another program has written since come after it.
  if (hashAtEnd({ ...source, size: end }, named) !== plan.predicted.sha256) throw buildRefusal('mispredicted', named);
}

function hashAtEnd(source: ByteSource, file: string): string {
  const session = readSession(source, file);
  return hashEnvelope(buildEnvelope(session, session.tree.leaf, readPatch));
}

interface Attempt {
  readonly size: number;
  readonly lines: Uint8Array;
  /** The bytes that were written; 0 where that is not known. */
  readonly written: number;
}

/** Truncates the appended bytes, unless another program has written after them. */
function rollback(file: AppendFile, { size, lines, written }: Attempt): void {
  const source = file.source();
  const tail = source.read(Math.min(size, source.size), source.size);
  if (tail.length === written || areEqual(tail, lines.subarray(0, tail.length))) cut(file, size);
  else if (tail.length > lines.length && areEqual(tail.subarray(-lines.length), lines)) {
    // Another program wrote just before.
    cut(file, source.size - lines.length);
  }
}

function cut(file: AppendFile, size: number): void {
  if (file.look().size > size) file.truncate(size);
  file.flush();
  file.setJournal(null);
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** The session is copied, and nothing is done to it. */
async function writeCopy(
  io: WriteIo,
  plan: Plan,
  { output, force, source: planned }: ApplyOptions & { readonly output: string; readonly force: boolean },
): Promise<WriteResult> {
  const { file, size, sha256 } = plan.session;
  const source = planned ?? (await io.files.open(file));
  try {
    if (source.size !== size || hashSource(source) !== sha256) throw buildRefusal('changed', file);
    const whole = new Rope(source, [{ from: 0, length: source.size }, { bytes: encodeEntries(plan) }]);
    if (hashAtEnd(whole, file) !== plan.predicted.sha256) throw buildRefusal('mispredicted', file);
    const made = await io.files.createNew(output, { force, like: file === '-' ? null : file });
    try {
      for (let at = 0; at < whole.size; at += PIECE_BYTES)
        await made.write(whole.read(at, Math.min(at + PIECE_BYTES, whole.size)));
      made.commit();
    } catch (error) {
      made.abandon();
      throw error;
    }
    return { file: output, oldSize: size, newSize: whole.size, notes: [] };
  } finally {
    if (!planned) source.close();
  }
}

const PIECE_BYTES = 1 << 20;

interface WriteFacts {
  readonly recovered: JournalRecovery;
  /** Processes that have the session open. */
  readonly watchers: readonly number[];
  /** Milliseconds since the last modification. */
  readonly age: number;
}

/** Sentences that the user should read about a write. */
export function* listWriteNotes({ recovered, watchers, age }: WriteFacts): Generator<string> {
  if (recovered === 'undone') yield 'an interrupted earlier write was rolled back';
  const why =
    watchers.length > 0
      ? `process ${watchers.join(', ')} has the file open`
      : Math.abs(age) < RECENT_MILLISECONDS
        ? 'modified in the last five minutes'
        : null;
  if (why !== null) yield `Pi may have the session open (${why}); reopen it there to see the new entries`;
}

const RECENT_MILLISECONDS = 5 * 60_000;

/**
 * Appends the entries of a plan to its session: all of them or none, locked, read back and replayed. Throws a CtxError
 * (refused) if the session has changed since.
 */
export function writePlan(plan: Plan, options: ApplyOptions = {}): Promise<WriteResult> {
  return applyPlan({ files: nodeFiles, now: Date.now }, plan, options);
}
