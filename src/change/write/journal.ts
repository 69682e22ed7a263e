import { CtxError } from '#base/errors.js';
import { isObject, parseJson } from '#base/json.js';
import { countCommon } from '#base/lists.js';
import type { AppendFile } from '#platform/files/append-file.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { NEWLINE } from '../bytes/ascii.js';
import { hashSource } from '../bytes/hash-source.js';

/*
 * A process may be killed in the middle of a write, and then only the beginning of what it appended is in the file:
 * a torn line, or half of the lines that belong together. So what is going to be appended is kept beside the file
 * before, and the next writer finds it and removes the half.
 */

/** The content of a journal: the file, its size before, and the bytes that are appended. */
export function encodeJournal({ size, sha256 }: FileState, lines: Uint8Array): Uint8Array {
  const first = { schema: SCHEMA, schemaVersion: 1, size, sha256, length: lines.length };
  return Buffer.concat([Buffer.from(`${JSON.stringify(first)}\n`), lines]);
}

const SCHEMA = 'ctx/journal';
const decoder = new TextDecoder();

interface FileState {
  readonly size: number;
  readonly sha256: string;
}

/** The outcome for an interrupted write. none: it had left nothing. undone: it had left something, which is gone now. */
export type JournalRecovery = 'none' | 'undone';

/**
 * Rolls back the partial write of a killed process. Throws a CtxError (refused) if another program has written after it,
 * unless that is accepted: then everything is kept.
 */
export function recoverInterruptedWrite(file: AppendFile, named: string, isAccepted: boolean): JournalRecovery {
  const journal = file.journal();
  if (journal === null) return 'none';
  const interrupted = readJournal(journal);
  const isOfFile = interrupted !== null && isSameFile(file.source(), interrupted);
  const state = isOfFile ? findWriteState(file.source(), interrupted) : 'untouched';
  if (state === 'mixed' && !isAccepted) throw buildMixedError(named);
  if (interrupted && state === 'half') {
    file.truncate(interrupted.size);
    file.flush();
  }
  file.setJournal(null);
  return state === 'half' ? 'undone' : 'none';
}

interface JournalContent extends FileState {
  readonly lines: Uint8Array;
}

/** Whether a file begins with the unchanged bytes that the journal describes. No other file may be cut. */
function isSameFile(source: ByteSource, { size, sha256 }: JournalContent): boolean {
  return source.size >= size && hashSource({ ...source, size }) === sha256;
}

/** Reads a journal; null for one that is not whole: the process was killed before it touched the file. */
function readJournal(journal: Uint8Array): JournalContent | null {
  const end = journal.indexOf(NEWLINE);
  const first = parseJson(decoder.decode(journal.subarray(0, Math.max(0, end))));
  const lines = journal.subarray(end + 1);
  if (!isObject(first) || first.schema !== SCHEMA || first.length !== lines.length) return null;
  const { size, sha256 } = first;
  return typeof size === 'number' && typeof sha256 === 'string' ? { size, sha256, lines } : null;
}

/** The state of the place where the lines belong: none of them, a part, all of them, or a part and something else. */
function findWriteState(source: ByteSource, { size, lines }: JournalContent): 'untouched' | 'half' | 'whole' | 'mixed' {
  if (source.size <= size) return 'untouched';
  const tail = source.read(size, Math.min(source.size, size + lines.length));
  const same = countCommon(tail, lines);
  if (same === lines.length) return 'whole';
  if (same === tail.length) return 'half';
  // All lines begin alike, also those of another program. A whole entry where ours should begin is one of its lines, since
  // half of a line of ours is no JSON.
  const wholeLines = tail.subarray(0, same).lastIndexOf(NEWLINE) + 1;
  const next = source.read(size, source.size).subarray(wholeLines);
  const newline = next.indexOf(NEWLINE);
  const line = newline === -1 ? next : next.subarray(0, newline);
  const hasNoneOfOurs = lines.subarray(0, wholeLines).every((byte) => byte === NEWLINE);
  const isOtherEntry = parseJson(decoder.decode(line)) !== undefined;
  return hasNoneOfOurs && isOtherEntry ? 'untouched' : 'mixed';
}

function buildMixedError(file: string): CtxError {
  return new CtxError('refused', 'an earlier write was interrupted, and another program wrote after it', {
    where: file,
    hint: 'check the end of the session with ctx check, then pass --force to keep it',
  });
}
