import type { Files } from '#platform/files/files.js';
import { nodeFiles } from '#platform/files/node-files.js';
import type { Io } from '#platform/io.js';
import { FORK_BYTES, isForkOfPi } from '#session/agents/forks-of-pi.js';
import type { Head } from '#session/heads/head.js';
import { buildSession, readSession } from '#session/read-session.js';
import { readTail } from '#session/read-tail.js';
import { type ByteSource, toByteSource } from '#session/scan/byte-source.js';
import type { ScanOptions } from '#session/scan/incremental-scan.js';
import { scanInParallel } from '#session/scan/parallel/part.js';
import type { Session } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import {
  buildEnvelope,
  buildOverview,
  type EnvelopeOptions,
  type EnvelopeStep,
  walkEnvelopes,
} from './replay/build-envelope.js';
import type { Baseline } from './replay/content.js';
import type { ContextEnvelope } from './replay/envelope.js';
import type { EnvelopeOverview } from './replay/overview.js';
import { type ReplayableSession, toLenient } from './replayable.js';

/** The size from which Node.js would allocate more memory than it needs. */
export const HUGE_BYTES = 400e6;

const BIG_FOREIGN_BYTES = 20e6;

/** A session that is ready to be replayed. */
export interface OpenSession extends ReplayableSession {
  /** Closes the file. Then no entry can be read any more. */
  close(): void;
}

/** A path of a session, and the inputs of its replay. */
export interface PathSource {
  readonly session: ReplayableSession;
  /** From the root on. */
  readonly path: readonly Head[];
  /** Values that the session does not record. */
  readonly baseline: Baseline;
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
  return toOpenSession((await readOtherAgentSession(source, file)) ?? readSession(source, file, reading), source);
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
    return toOpenSession(foreign, source);
  }
  const scanned = await scanInParallel(source, file, { partScanner, ...reading });
  // During a scan with two threads, this would need more memory than it saves.
  if (source.size >= HUGE_BYTES) saveMemory();
  return toOpenSession(buildSession(scanned, source, file), source);
}

/**
 * Opens only the end of a session, as much of it as `isEnough` requires: see `readTail`. Throws a CtxError (input)
 * if there is no session to read.
 */
export async function openSessionTail(
  file: string,
  files: Files,
  isEnough: (tail: Session) => boolean,
): Promise<OpenSession> {
  const source = await openSessionSource(files, file);
  return toOpenSession((await readOtherAgentSession(source, file)) ?? readTail(source, file, isEnough), source);
}

/** The session of another agent in a file; null for Pi's, and for a file that no agent is known to write. */
export async function readOtherAgentSession(source: ByteSource, file: string): Promise<Session | null> {
  // Pi writes such a header: then no other reader is loaded.
  if (PI_BEGINNING.test(readBeginning(source, FIRST_BYTES)) && !isForkOfPi(readBeginning(source, FORK_BYTES)))
    return null;
  return (await import('#session/agents/reader.js')).readAgentSession(source, file);
}

/** Opens the file of a session, and where it continues other files, those before it. Throws a CtxError (input). */
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

/** Makes a session that was read ready for replay, and closes its source with it. */
export async function toOpenSession(session: Session, source: ByteSource): Promise<OpenSession> {
  return { ...(await loadReplayable(session)), close: () => source.close() };
}

/** The options of an envelope, for a program that opened the session without regard to them. */
export interface EnvelopeAtOptions extends EnvelopeOptions {
  /** Skip patch ops that cannot be replayed, with a diagnostic, instead of failing. */
  readonly lenient?: boolean | undefined;
}

/**
 * The context at a revision. Throws a CtxError: usage for an unknown revision, input for a
 * transform that cannot be replayed.
 */
export function envelopeAt(session: OpenSession, revision = 'HEAD', options: EnvelopeAtOptions = {}): ContextEnvelope {
  return buildEnvelope(chooseStrictness(session, options), resolveRevision(session, revision), options);
}

/** Like `envelopeAt`, but messages are read on demand, so the file must stay open. */
export function buildOverviewAt(
  session: OpenSession,
  revision = 'HEAD',
  options: EnvelopeAtOptions = {},
): EnvelopeOverview {
  return buildOverview(chooseStrictness(session, options), resolveRevision(session, revision), options);
}

/** The envelopes of all entries from the root to a revision, in order. */
export function eachEnvelope(
  session: OpenSession,
  revision = 'HEAD',
  options: EnvelopeAtOptions = {},
): Generator<EnvelopeStep> {
  const head = resolveRevision(session, revision);
  return walkEnvelopes(chooseStrictness(session, options), head ? pathTo(session.tree, head) : [], options);
}

function chooseStrictness(session: OpenSession, { lenient }: EnvelopeAtOptions): OpenSession {
  return lenient ? toLenient(session) : session;
}

/** Loads the ops and their schemas only for sessions with a transform. */
export async function loadReplayable(session: Session): Promise<ReplayableSession> {
  if (session.tree.heads.ofType('context_transform').next().done) return { ...session, readPatch: () => [] };
  return (await import('./ops/read-patch.js')).toReplayable(session);
}
