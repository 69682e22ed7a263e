import type { PluginKind, RecreatedArgument } from '#platform/plugin.js';
import type { ModuleFailureKind } from './failure.js';

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
  /** The process ends because of an uncaught error. */
  | { readonly type: 'uncaught'; readonly message: string; readonly stack: string | null }
  | { readonly type: 'ask'; readonly id: number; readonly name: string; readonly text: string };

/** The id of the answer to `load`. */
export const LOAD_ID = 0;

/** UTF-16 code units of JSON. */
export const LONGEST_ANSWER = 64_000_000;

/** The method that creates the engine of a module once more in its process, as a host does for another session. */
export const CREATE_AGAIN = 'create again';
