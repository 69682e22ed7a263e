import type { JsonObject } from '#base/json.js';
import type { HandlerAnswer, PiState } from './plugin/hook-methods.js';

/** The session at an event of stock Pi. */
export interface PiView extends Omit<PiState, 'added'> {
  readonly branch: readonly JsonObject[];
}

/** One function that a module has registered for an event. */
export interface Handler {
  /** The module, as the user named it. */
  readonly hook: string;
  readonly event: string;
  /** Gives what it returns. Rejects with a PluginFailure. */
  call(event: JsonObject): Promise<unknown>;
  /** Calls the handler with an event of stock Pi. */
  emit?(event: JsonObject, view: PiView): Promise<HandlerAnswer>;
  /** Whether a `context` handler is written for stock Pi or for the proposal; null before its first call. */
  dialect?(): 'stock' | 'proposal' | null;
}

/** Modules of hooks that have been loaded. */
export interface HookHost {
  readonly handlers: readonly Handler[];
  /**
   * Renders a transform as Markdown by a renderer of the module; null where it has no such renderer. Rejects with a
   * PluginFailure.
   */
  render(hook: string, id: string, transform: JsonObject): Promise<string | null>;
}

/** The name of a module in the entries that it writes while an agent runs: that of its file, which may move. */
export function nameModule(hook: string): string {
  return hook.split(/[/\\]/).at(-1) ?? hook;
}

export function listModules({ handlers }: HookHost): ReadonlySet<string> {
  return new Set(handlers.map(({ hook }) => nameModule(hook)));
}
