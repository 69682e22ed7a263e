import { buildWarning, type Problem } from '#base/errors.js';
import { formatCount } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import type { ContextSize } from '#context/replay/envelope.js';
import {
  type ContextWindow,
  describeAssumedWindow,
  findWindow,
  findWindowOverrun,
  isWindowKnown,
} from '#context/size/window.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { addModelList } from '../session.js';

/** The context window that the user names: with `--limit`, or in a configuration that is no program. */
export interface NamedWindow {
  readonly limit?: number | undefined;
  /** The `configuredLimit` of `CommandInput`. It is required, so that no command forgets it. */
  readonly configuredLimit: number | undefined;
}

/** The context window of a session's model: one that the user names, else a recorded or assumed one. */
export function findCopyWindow(session: Session, { limit, configuredLimit }: NamedWindow): ContextWindow {
  return findWindow(session, activePath(session.tree), addModelList({ limit, configuredLimit }));
}

/** The contexts of a session and of its copy. */
interface CopySizes {
  readonly before: ContextSize;
  readonly after: ContextSize;
}

/**
 * A warning that the context of a copy does not fit in the window, with the command that shows what can go; null if it fits, or
 * the window is unknown. A window that a recorded request exceeded is not that of the session. `copy`: as the command line
 * names it.
 */
export function describeOverfull({ before, after }: CopySizes, window: ContextWindow, copy: string): string | null {
  if (!isWindowKnown(window) || after.tokens <= window.tokens || findWindowOverrun(before, window) !== null)
    return null;
  const limit = `${formatCount(window.tokens)} tokens${describeAssumedWindow(window)}`;
  return `the context, ~${formatCount(after.tokens)} tokens, is larger than the window of ${limit}; ctx prune ${copy} --dry-run shows what can go`;
}

/** The command that makes a copy shorter, which `command` wrote. A copy that was pruned needs a compaction. */
export function formatShortening(command: string, copy: string): string {
  return command === 'prune' ? `ctx compact ${copy} --install` : `ctx prune ${copy} --strategy distill --install`;
}

/** The size of the context that a converted session begins with, and its place. */
interface ConvertedSession extends Pick<NamedWindow, 'configuredLimit'> {
  readonly size: ContextSize;
  /** null for a dry run. */
  readonly output: string | null;
}

/** Warns of a converted session whose context does not fit in the window of the model that it was recorded with. */
export function warnOfOverfull(
  session: Session,
  { size, output, configuredLimit }: ConvertedSession,
): readonly Problem[] {
  const copy = output === null || output === '-' ? 'COPY' : toShellWord(output);
  const text = describeOverfull({ before: size, after: size }, findCopyWindow(session, { configuredLimit }), copy);
  return text === null ? [] : [buildWarning('larger-than-window', text)];
}
