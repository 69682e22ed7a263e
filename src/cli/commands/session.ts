import { CtxError } from '#base/errors.js';
import { locateSession } from '#cli/locate.js';
import { assumedWindow, modelFacts } from '#context/models/registry.js';
import { openHere, type OpenSession } from '#context/open.js';
import { settingsOf } from '#context/replay/settings.js';
import { type ContextWindow, isKnown, type KnownWindow, type WindowOptions } from '#context/size/window.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { Argument, Opener } from './define.js';

/** The argument of a command that reads one session. */
export const sessionArgument: Argument = {
  name: 'session',
  help: 'a file, a session id or a prefix of it, "latest" (the default), or - for standard input',
};

/** The entry of that session that a command looks at. */
export const revisionArgument: Argument = {
  name: 'rev',
  help: 'the entry to look at: HEAD (the default), an id or a prefix of it, a label, REV~N, @{turn:N}, @{request:N} or @{compaction} (see ctx help revisions); without a session, it names an entry of the latest one',
  isRevision: true,
};

/** The argument of a command that reads one session, and not from standard input. */
export const sessionFileArgument: Argument = {
  name: 'session',
  help: 'a file, a session id or a prefix of it, or "latest" (the default)',
};

/** The argument of a command that appends to a session: see `locateToWrite`. */
export const sessionToWriteArgument: Argument = {
  name: 'session',
  help: 'a file, a session id or a prefix of it, or "latest" (default: the latest of this folder)',
};

/** Opens the session that an argument names, by default the latest one. It is closed after printing. */
export async function openNamed(opener: Opener, name = 'latest'): Promise<OpenSession> {
  return openFile(opener, await locateSession(opener.io, name));
}

/** Opens a session by its path. It is closed after printing. */
export async function openFile({ io, keepOpen, openKept }: Opener, file: string): Promise<OpenSession> {
  return openKept ? openKept(file) : keepOpen(await openHere(io, file));
}

/** Adds the list of models to the sizes that the user has set: the fallback if there is none. */
export function windowOptions(set: Omit<WindowOptions, 'assumedWindow'>): WindowOptions {
  return { ...set, assumedWindow };
}

/** The most tokens that the model at the end of a path writes at once; null for a model that the list lacks. */
export function maxOutputAt(session: Session, path: readonly Head[]): number | null {
  const { model } = settingsOf(session, path);
  return (model && modelFacts(model)?.maxOutput) ?? null;
}

/** Throws a CtxError (usage) with a hint how to supply the size if it is unknown. `file`: the session. */
export function neededWindow(window: ContextWindow, file: string): KnownWindow {
  if (isKnown(window)) return window;
  throw new CtxError('usage', unknownWindow(window.model), { where: file, hint: SUPPLY_WINDOW });
}

/** A sentence without its full stop. */
export function unknownWindow(model: string | null): string {
  return model === null ? 'the session names no model' : `the context window of the model "${model}" is unknown`;
}

export const SUPPLY_WINDOW = 'supply it with --limit, as in --limit 200k, or with "limit" in the configuration';
