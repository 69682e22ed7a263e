import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { formatCount } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { findAssumedWindow, findModelInfo } from '#context/models/registry.js';
import type { ContextSize } from '#context/replay/envelope.js';
import { findSettings } from '#context/replay/settings.js';
import {
  type ContextWindow,
  describeAssumedWindow,
  findWindow,
  findWindowOverrun,
  isWindowKnown,
  type KnownWindow,
  type WindowOptions,
} from '#context/size/window.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';

/** The context window that the user names: with `--limit`, or in a configuration that is no program. */
export interface NamedWindow {
  readonly limit?: number | undefined;
  /** The `configuredLimit` of `CommandInput`. It is required, so that no command forgets it. */
  readonly configuredLimit: number | undefined;
}

/** Adds the known models to the windows that the user has set: they decide where nothing else does. */
export function addModelList(set: Omit<WindowOptions, 'assumedWindow'>): WindowOptions {
  return { ...set, assumedWindow: findAssumedWindow };
}

/** The most tokens that the model at the end of a path writes at once; null for a model that the list lacks. */
export function findMaxOutput(session: Session, path: readonly Head[]): number | null {
  const { model } = findSettings(session, path);
  return (model && findModelInfo(model)?.maxOutput) ?? null;
}

/** Throws a CtxError (usage) with a hint how to supply the size if it is unknown. `file`: the session. */
export function requireWindow(window: ContextWindow, file: string): KnownWindow {
  if (isWindowKnown(window)) return window;
  throw new CtxError('usage', describeUnknownWindow(window.model), { where: file, hint: SUPPLY_WINDOW_HINT });
}

/** Says why a window is unknown, as a sentence without its full stop. */
export function describeUnknownWindow(model: string | null): string {
  return model === null ? 'the session names no model' : `the context window of the model "${model}" is unknown`;
}

export const SUPPLY_WINDOW_HINT = 'supply it with --limit, as in --limit 200k, or with "limit" in the configuration';

/** The context window of a session's model: one that the user names, else a recorded or assumed one. */
export function findSessionWindow(session: Session, { limit, configuredLimit }: NamedWindow): ContextWindow {
  return findWindow(session, activePath(session.tree), addModelList({ limit, configuredLimit }));
}

/** The size of a context before a change and after it. */
interface SizeChange {
  readonly before: ContextSize;
  readonly after: ContextSize;
}

/**
 * A warning that a changed context does not fit in the window, with the command that shows what can go; null if it fits, or the
 * window is unknown. A window that a recorded request exceeded is not that of the session. `name`: the changed session, as a
 * command line names it.
 */
export function describeOverfull({ before, after }: SizeChange, window: ContextWindow, name: string): string | null {
  if (!isWindowKnown(window) || after.tokens <= window.tokens || findWindowOverrun(before, window) !== null)
    return null;
  const limit = `${formatCount(window.tokens)} tokens${describeAssumedWindow(window)}`;
  return `the context, ~${formatCount(after.tokens)} tokens, is larger than the window of ${limit}; ctx prune ${name} --dry-run shows what can go`;
}

/** The command that makes a copy shorter, which `command` wrote. A copy that was pruned needs a compaction. */
export function formatShorteningCommand(command: string, copy: string): string {
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
  const text = describeOverfull({ before: size, after: size }, findSessionWindow(session, { configuredLimit }), copy);
  return text === null ? [] : [buildWarning('larger-than-window', text)];
}
