import type { AppendFile } from '#platform/files/append-file.js';
import { hashSource } from '../bytes/hash-source.js';
import type { Plan } from '../plan/plan.js';
import { encodeEntries } from './encode-entries.js';
import { hashLeafContext } from './hash-leaf-context.js';
import { encodeJournal, type JournalRecovery, recoverInterruptedWrite } from './journal.js';
import { buildRefusal } from './refusals.js';
import type { WriteIo, WriteResult } from './write-contract.js';

/**
 * Appends the entries of a plan to the file of its session. The file is locked, compared with the plan, written to in one
 * piece, flushed, read back and replayed; if the result differs from the plan, the file is cut to its old length.
 */
export async function appendToSession(io: WriteIo, plan: Plan, force: boolean): Promise<WriteResult> {
  const { file: name, size } = plan.session;
  const lines = encodeEntries(plan);
  const file = await io.files.openToAppend(name);
  try {
    const recovered = recoverInterruptedWrite(file, name, force);
    const { modified } = file.look();
    refuseChanged(file, plan);
    const watchers = file.processes();
    appendLines(file, plan, lines);
    const notes = [...listWriteNotes({ recovered, watchers, age: io.now() - modified })];
    return { file: name, oldSize: size, newSize: size + lines.length, notes };
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

function appendLines(file: AppendFile, plan: Plan, lines: Uint8Array): void {
  const { size, file: name } = plan.session;
  file.setJournal(encodeJournal(plan.session, lines));
  let written = 0;
  try {
    written = file.append(lines);
    if (written < lines.length) {
      // Appending the rest should fail, with the system's reason. If it does not, the disk was full for a moment.
      file.append(lines.subarray(written));
      throw buildRefusal('full', name);
    }
    file.flush();
    verifyAppended(file, plan, lines);
  } catch (error) {
    rollBack(file, { size, lines, written });
    throw error;
  }
  file.setJournal(null);
  if (!file.isInPlace()) throw buildRefusal('replaced', name);
}

function verifyAppended(file: AppendFile, plan: Plan, lines: Uint8Array): void {
  const { size, file: name } = plan.session;
  const source = file.source();
  const end = size + lines.length;
  if (source.size < end || !areEqual(source.read(size, end), lines)) throw buildRefusal('interfered', name);
  // Without the entries that another program may have written since.
  const sha256 = hashLeafContext({ ...source, size: end }, name);
  if (sha256 !== plan.predicted.sha256) throw buildRefusal('mispredicted', name);
}

/** A write that failed. */
interface Attempt {
  /** The bytes of the file before it. */
  readonly size: number;
  readonly lines: Uint8Array;
  /** The bytes that were written; 0 where that is not known. */
  readonly written: number;
}

/**
 * Truncates the appended bytes, unless another program has written after them: then the journal stays, and the next write
 * decides.
 */
function rollBack(file: AppendFile, { size, lines, written }: Attempt): void {
  const source = file.source();
  const tail = source.read(Math.min(size, source.size), source.size);
  const isOurs = tail.length === written || areEqual(tail, lines.subarray(0, tail.length));
  if (isOurs) {
    truncateTo(file, size);
    return;
  }
  // Another program may have written just before.
  const endsWithOurs = tail.length > lines.length && areEqual(tail.subarray(-lines.length), lines);
  if (endsWithOurs) truncateTo(file, source.size - lines.length);
}

function truncateTo(file: AppendFile, size: number): void {
  if (file.look().size > size) file.truncate(size);
  file.flush();
  file.setJournal(null);
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

interface WriteCircumstances {
  readonly recovered: JournalRecovery;
  /** Processes that have the session open. */
  readonly watchers: readonly number[];
  /** Milliseconds since the last modification. */
  readonly age: number;
}

/** Sentences that the user should read about a write. */
export function* listWriteNotes({ recovered, watchers, age }: WriteCircumstances): Generator<string> {
  if (recovered === 'undone') yield 'an interrupted earlier write was rolled back';
  const sign = findOpenSign(watchers, age);
  if (sign !== null) yield `Pi may have the session open (${sign}); reopen it there to see the new entries`;
}

/** A sign that another program has the session open. */
function findOpenSign(watchers: readonly number[], age: number): string | null {
  if (watchers.length > 0) return `process ${watchers.join(', ')} has the file open`;
  return Math.abs(age) < RECENT_MILLISECONDS ? 'modified in the last five minutes' : null;
}

const RECENT_MILLISECONDS = 5 * 60_000;
