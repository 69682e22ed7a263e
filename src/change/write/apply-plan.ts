import { CtxError } from '#base/errors.js';
import { nodeFiles } from '#platform/files/node-files.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import type { Plan } from '../plan/plan.js';
import { appendToSession } from './append-to-session.js';
import type { WriteIo, WriteResult } from './write-contract.js';
import { writePlannedCopy } from './write-planned-copy.js';

/** Where the entries of a plan go, and what may be overwritten. */
export interface ApplyOptions {
  /** A new file that gets the session with the entries. The session itself stays unchanged. */
  readonly output?: string | undefined;
  /** Overwrite an existing output file; keep entries that another program wrote after an interrupted write. */
  readonly force?: boolean | undefined;
  /** The bytes that the plan was made for, where the file holds others; only for a new file. */
  readonly source?: ByteSource | undefined;
}

/**
 * Writes the entries of a plan: all of them or none. Without `output` it appends them to the session, else it writes a
 * copy. Throws a CtxError (refused) with the reason.
 */
export async function applyPlan(io: WriteIo, plan: Plan, options: ApplyOptions = {}): Promise<WriteResult> {
  if (plan.session.file === '-') {
    throw new CtxError('refused', 'cannot append to standard input', {
      hint: 'save the session to a file first',
    });
  }
  const { output, force = false, source } = options;
  if (output === undefined) return appendToSession(io, plan, force);
  return writePlannedCopy(io, plan, { output, force, source });
}

/**
 * Appends the entries of a plan to its session: all of them or none, locked, read back and replayed. Throws a CtxError
 * (refused) if the session has changed since.
 */
export function writePlan(plan: Plan, options: ApplyOptions = {}): Promise<WriteResult> {
  return applyPlan({ files: nodeFiles, now: Date.now }, plan, options);
}
