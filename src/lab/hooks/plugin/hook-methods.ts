import type { JsonObject } from '#base/json.js';
import type { StoredMessage } from '#session/entry.js';

/** The methods that the process of a hook module has for its host. Handlers are named by their numbers. */
export interface HookMethods {
  /** Calls a handler of the proposal, and returns its result. */
  handle(handler: number, event: JsonObject): unknown;
  /** Calls a handler of stock Pi. */
  emit(handler: number, event: JsonObject, state: PiState): Promise<HandlerAnswer>;
  /** Renders a transform as Markdown; undefined where there is no such renderer. */
  render(renderer: string, transform: JsonObject): string | undefined;
}

/** The answer to a call of a method. */
export type HookAnswer<Name extends keyof HookMethods> = Awaited<ReturnType<HookMethods[Name]>>;

/** The registrations of a hook module: event names in the order of their handlers. */
export interface LoadedHook {
  readonly events: readonly string[];
  readonly renderers: readonly string[];
  /** The registrations that have no effect here. */
  readonly ignored: readonly string[];
}

/** The facts about the session that an extension can ask for, at the moment of an event. */
export interface PiState {
  /** The entries that were added to the branch since the last event of this module. */
  readonly added: readonly JsonObject[];
  readonly header: JsonObject;
  readonly file: string;
  readonly name: string | null;
  /** The context, by the entry that each part comes from. */
  readonly projection: readonly { readonly entryId: string | null; readonly messages: readonly StoredMessage[] }[];
  readonly model: { readonly provider: string | null; readonly id: string | null } | null;
  readonly thinkingLevel: string;
  readonly contextWindow: number | null;
  /** The tokens of the context, by Pi's estimate. */
  readonly tokens: number;
  readonly systemPrompt: string;
  readonly tools: readonly JsonObject[];
}

/** The result of a handler for an event of stock Pi. */
export interface HandlerAnswer {
  /** The return value; left out for undefined. */
  readonly value?: unknown;
  /** The error; left out if the handler threw none. */
  readonly thrown?: { readonly message: string; readonly stack: string | null };
  /** The data of the event, if the handler changed it in place. */
  readonly event?: JsonObject;
  /** Whether it read what only events of the proposal have. */
  readonly usesProposal: boolean;
  /** Entries of `pi.appendEntry`. */
  readonly appended: readonly JsonObject[];
  /** All names so far. */
  readonly ignored: readonly string[];
}
