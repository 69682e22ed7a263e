import { CtxError } from '#base/errors.js';
import { assumedWindow, modelFacts } from '#context/models/registry.js';
import type { Baseline } from '#context/replay/content.js';
import { settingsOf } from '#context/replay/settings.js';
import { type ContextWindow, isKnown, type KnownWindow, type WindowOptions } from '#context/size/window.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/** The sizes of the context window that the user has set, each undefined if it is not set. */
interface SetWindow {
  readonly limit: number | undefined;
  readonly configuredLimit: number | undefined;
  readonly baseline: Baseline | undefined;
}

/** Adds the list of models, the fallback if the user has set no size. */
export function windowOptions(set: SetWindow): WindowOptions {
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
