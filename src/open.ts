import { buildEnvelope, type EnvelopeOptions, type EnvelopeStep, envelopesAlong } from './context/build.js';
import type { ContextEnvelope } from './context/envelope.js';
import type { ReadPatch } from './context/patch-step.js';
import { nodeFiles, type Files } from './io.js';
import { bytesIn } from './session/bytes.js';
import { resolveRevision } from './session/revision.js';
import { readSession, type Session } from './session/session.js';
import { pathTo } from './session/tree.js';

/** A session that is ready to be replayed. */
export interface OpenSession extends Session {
  readonly readPatch: ReadPatch;
  /** Closes the file. Afterwards no entry can be read any more. */
  close(): void;
}

/**
 * Opens a session by its path (`-` for standard input) or its bytes, and changes nothing. Only heads are kept;
 * entries are parsed when they are needed. Throws a CtxError (input) where there is no session to read.
 */
export async function openSession(session: string | Uint8Array, files: Files = nodeFiles): Promise<OpenSession> {
  const isPath = typeof session === 'string';
  const source = isPath ? await files.open(session) : bytesIn(session);
  const opened = readSession(source, isPath ? session : '-');
  return { ...opened, readPatch: await patchReader(opened), close: () => source.close() };
}

/**
 * What the model was shown at a revision. Throws a CtxError: usage for an unknown revision, input for a
 * transform that breaks a boundary rule.
 */
export function envelopeAt(session: OpenSession, revision = 'HEAD', options: EnvelopeOptions = {}): ContextEnvelope {
  return buildEnvelope(session, resolveRevision(session, revision), session.readPatch, options);
}

/** The envelopes of all entries from the root to a revision, one after another. */
export function eachEnvelope(
  session: OpenSession,
  revision = 'HEAD',
  options: EnvelopeOptions = {},
): Generator<EnvelopeStep> {
  const head = resolveRevision(session, revision);
  return envelopesAlong(session, head ? pathTo(session.tree, head) : [], session.readPatch, options);
}

/** The op shelf, and the schemas that it needs, are loaded only for sessions that hold a transform. */
async function patchReader(session: Session): Promise<ReadPatch> {
  if (session.tree.heads.ofType('context_transform').next().done) return () => [];
  return (await import('./ops/read-patch.js')).readPatch;
}
