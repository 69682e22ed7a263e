import type { Files } from '#platform/files/files.js';
import { nodeFiles } from '#platform/files/node-files.js';
import type { Io } from '#platform/io.js';
import { FORK_BYTES, isForkOfPi } from '#session/agents/forks-of-pi.js';
import { buildSession, readSession } from '#session/read-session.js';
import { readTail } from '#session/read-tail.js';
import { type ByteSource, toByteSource } from '#session/scan/byte-source.js';
import type { ScanOptions } from '#session/scan/incremental-scan.js';
import { scanInParallel } from '#session/scan/parallel/scan-in-parallel.js';
import type { Session } from '#session/session.js';
import type { ReadPatch } from './replay/patch-op.js';

/** The size from which Node.js would allocate more memory than it needs. */
export const HUGE_BYTES = 400e6;

const BIG_FOREIGN_BYTES = 20e6;

/** A session of which contexts can be computed. `attachPatchReader` makes one of a session in memory, without waiting. */
export interface OpenSession extends Session {
  /** The reader of patches, which is only loaded for a session with a transform. */
  readonly readPatch: ReadPatch;
  /**
   * Whether replay skips patch ops that break a rule, with a diagnostic. Otherwise the first of them ends it with an
   * error.
   */
  readonly isLenient?: boolean;
  /** Closes the file. Then no entry can be read any more. */
  close(): void;
}

/**
 * Opens a session by its path (`-` for standard input) or its bytes, without changing it. Only heads are kept;
 * entries are parsed on demand. Throws a CtxError (input) if there is no session to read.
 */
export async function openSession(
  session: string | Uint8Array,
  files: Files = nodeFiles,
  reading: ScanOptions = {},
): Promise<OpenSession> {
  const isPath = typeof session === 'string';
  const source = isPath ? await openSessionSource(files, session) : toByteSource(session);
  const file = isPath ? session : '-';
  return toOpenSession((await readOtherAgentSession(source, file)) ?? readSession(source, file, reading));
}

/** Opens a session for a command: on two threads if possible, and with less memory for a huge session. */
export async function openForCommand(
  { files, partScanner, saveMemory }: Pick<Io, 'files' | 'partScanner' | 'saveMemory'>,
  file: string,
  reading: ScanOptions = {},
): Promise<OpenSession> {
  const source = await openSessionSource(files, file);
  const foreign = await readOtherAgentSession(source, file);
  if (foreign) {
    // Building all entries makes much garbage.
    if (source.size >= BIG_FOREIGN_BYTES) saveMemory();
    return toOpenSession(foreign);
  }
  const scanned = await scanInParallel(source, file, { partScanner, ...reading });
  // During a scan with two threads, this would need more memory than it saves.
  if (source.size >= HUGE_BYTES) saveMemory();
  return toOpenSession(buildSession(scanned, source, file));
}

/**
 * Opens only the end of a session, until `isEnough` accepts it: see `readTail`. Throws a CtxError (input) if there is
 * no session to read.
 */
export async function openSessionTail(
  file: string,
  files: Files,
  isEnough: (tail: Session) => boolean,
): Promise<OpenSession> {
  const source = await openSessionSource(files, file);
  return toOpenSession((await readOtherAgentSession(source, file)) ?? readTail(source, file, isEnough));
}

/** The session of another agent in a file; null for Pi's, and for a file that no agent is known to write. */
export async function readOtherAgentSession(source: ByteSource, file: string): Promise<Session | null> {
  // Pi writes such a header: then no other reader is loaded.
  if (PI_BEGINNING.test(readBeginning(source, FIRST_BYTES)) && !isForkOfPi(readBeginning(source, FORK_BYTES)))
    return null;
  return (await import('#session/agents/reader.js')).readAgentSession(source, file);
}

/** Opens the file of a session. If it continues other files, opens those before it. Throws a CtxError (input). */
export async function openSessionSource(
  files: Pick<Files, 'open' | 'list' | 'isPipe'>,
  file: string,
): Promise<ByteSource> {
  const source = await files.open(file);
  // Without a header of Codex no other reader is loaded.
  if (file === '-' || !readBeginning(source, FIRST_BYTES).includes('"session_meta"')) return source;
  return (await import('#session/agents/codex/ancestors.js')).joinAncestors(source, file, files);
}

function readBeginning(source: ByteSource, most: number): string {
  const first = Buffer.alloc(Math.min(most, source.size));
  source.readInto(first, 0);
  return first.toString('latin1');
}

const FIRST_BYTES = 256;
const PI_BEGINNING = /^\s*(?:$|\{\s*"type"\s*:\s*"session")/;

/** Opens a session for some work, and closes it after that. */
export async function withSession<Result>(
  opening: Promise<OpenSession>,
  work: (session: OpenSession) => Result | Promise<Result>,
): Promise<Result> {
  const session = await opening;
  try {
    return await work(session);
  } finally {
    session.close();
  }
}

/** Makes a session that was read ready for replay. Loads `attachPatchReader` and its ops only for one with a transform. */
export async function toOpenSession(session: Session): Promise<OpenSession> {
  if (session.tree.heads.ofType('context_transform').next().done) return ignorePatches(session);
  return (await import('./ops/read-patch.js')).attachPatchReader(session);
}

/** A session whose transforms change nothing. */
export function ignorePatches(session: Session): OpenSession {
  return { ...session, readPatch: () => [], close: () => session.source.close() };
}
