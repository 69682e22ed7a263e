import type { PluginKind, RecreatedArgument } from '#platform/plugin.js';

/** A message of the host. Values are JSON text: the plugin receives a copy of plain data. */
export type ToPlugin =
  | { readonly type: 'load'; readonly file: string; readonly kind: PluginKind }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly method: string;
      /** A list. */
      readonly args: string;
      readonly places: readonly RecreatedArgument[];
      /** Members of the answer that are functions: they stay in the plugin, and names to call them by replace them. */
      readonly keeps: readonly string[];
      /** Whether to report changes of the arguments. */
      readonly watchesInput: boolean;
    }
  /** Values that later calls name by their numbers, as JSON. */
  | {
      readonly type: 'values';
      readonly first: number;
      readonly texts: readonly string[];
      /** No earlier value is named any more. */
      readonly startsOver: boolean;
    }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'told'; readonly id: number; readonly ok: boolean; readonly text: string | null }
  | { readonly type: 'close' };

/** The first message of a plugin. It has started, and the time limit for loading its module begins. */
export const READY = { type: 'ready' } as const;

/** The reason why a plugin has no answer by itself. */
export type ModuleFailureKind = 'threw' | 'not-json' | 'too-long' | 'not-loaded';

/** A list in an answer with values of the host, by their numbers; -1 for any other item. */
export interface SentItems {
  readonly member: string;
  readonly ids: readonly number[];
}

/** A message of a plugin; `text` is JSON, null for undefined. */
export type FromPlugin =
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly text: string | null;
      /** The values of the host that `text` leaves out. */
      readonly sent: readonly SentItems[];
      /** Whether its arguments changed, which has no effect on the host. */
      readonly changedInput: boolean;
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly kind: ModuleFailureKind;
      readonly message: string;
      readonly stack: string | null;
    }
  /** It ends because of an uncaught error. */
  | { readonly type: 'uncaught'; readonly message: string; readonly stack: string | null }
  | { readonly type: 'ask'; readonly id: number; readonly name: string; readonly text: string };

/** The messages about a module that is not there. */
export const NO_SUCH_FILE = 'there is no such file';

export const NO_INDEX = 'it is a folder without index.ts or index.js';

const HINTS: Readonly<Record<string, string>> = {
  [NO_SUCH_FILE]: 'check the path',
  [NO_INDEX]: 'name a file, or a folder with index.ts',
};

/** The hint for a module that cannot be loaded; `otherwise` if it is there. */
export function describeLoadHint({ message }: Pick<Error, 'message'>, otherwise: string): string {
  return HINTS[message] ?? otherwise;
}

/** The id of the answer to `load`. */
export const LOAD_ID = 0;

/** UTF-16 code units of JSON. */
export const LONGEST_ANSWER = 64_000_000;

/** The reason why a plugin gave no answer: see `PluginFailure`. */
export type PluginFailureKind = ModuleFailureKind | 'timed-out' | 'exited' | 'cancelled';

/**
 * A plugin that gave no answer: it threw, timed out, ended, returned something that is not JSON or too long, cannot be
 * loaded, or was cancelled. `message` is a sentence about it.
 */
export class PluginFailure extends Error {
  readonly kind: PluginFailureKind;
  /** The stack in the plugin, for its author. */
  readonly pluginStack: string | null;

  constructor(kind: PluginFailureKind, message: string, pluginStack: string | null = null) {
    super(message);
    this.name = 'PluginFailure';
    this.kind = kind;
    this.pluginStack = pluginStack;
  }
}

/**
 * The reason why a value is not JSON: `patch[0].messages is a Map`. null if it is.
 * Members that are undefined are omitted when it is written, as intended.
 */
export function findNonJson(value: unknown, name: string): string | null {
  const above = new Set<object>();
  const steps: Step[] = [{ value, place: name }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ('leave' in step) {
      above.delete(step.leave);
      continue;
    }
    const why = whyNotValue(step.value);
    if (why !== null) return `${step.place} ${why}`;
    if (typeof step.value !== 'object' || step.value === null) continue;
    if (above.has(step.value)) return `${step.place} contains itself`;
    above.add(step.value);
    steps.push({ leave: step.value });
    for (const inner of stepsInto(step.value, step.place)) steps.push(inner);
  }
  return null;
}

interface Visit {
  readonly value: unknown;
  readonly place: string;
}

/** A value to check, or the end of a value whose members were checked. */
type Step = Visit | { readonly leave: object };

function whyNotValue(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : `is ${value}, which is not a JSON number`;
    case 'object':
      return value === null ? null : whyNotObject(value);
    default:
      return typeof value === 'undefined' ? 'is undefined' : `is a ${typeof value}, which is not JSON`;
  }
}

function whyNotObject(value: object): string | null {
  if (Array.isArray(value)) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Plain objects of another realm are plain as well.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain) return `is a ${value.constructor?.name || 'class'}, which is not JSON`;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return 'serialises itself (toJSON)';
  return Object.getOwnPropertySymbols(value).length > 0 ? 'has a symbol as a key' : null;
}

/** Pushes from last to first, so that the first is checked first. */
function* stepsInto(value: object, place: string): Generator<Visit> {
  if (Array.isArray(value)) {
    for (let at = value.length - 1; at >= 0; at -= 1) yield { value: value[at], place: `${place}[${at}]` };
    return;
  }
  for (const [key, inner] of Object.entries(value).toReversed()) {
    if (inner !== undefined)
      yield { value: inner, place: PLAIN.test(key) ? `${place}.${key}` : `${place}[${JSON.stringify(key)}]` };
  }
}

const PLAIN = /^[A-Za-z_$][\w$]*$/;

/** The method that creates the engine of a module once more in its process, as a host does for another session. */
export const CREATE_AGAIN = 'create again';
