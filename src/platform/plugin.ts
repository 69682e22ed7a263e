/** A module of the user, and the functions that it may call. */
export interface PluginStart {
  /** The module, in TypeScript or JavaScript. */
  readonly file: string;
  readonly kind: PluginKind;
  /** Receives the lines that it prints to any stream. They may contain anything. */
  onLog(line: string): void;
  /** Called if a method changed its arguments, which are copies: an author may not know that this has no effect. */
  readonly onChangedInput?: ((method: string) => void) | undefined;
  /** Functions of the host that it may call during a call. Arguments and answers are JSON. */
  readonly handlers?: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  /** Ends the plugin when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit for loading, in milliseconds. */
  readonly timeLimit: number;
}

export interface CallOptions {
  /**
   * The limit in milliseconds. Then the signals of the plugin are aborted. If it still runs, it is ended with its child
   * processes.
   */
  readonly timeLimit: number;
  readonly places?: readonly RecreatedArgument[];
  /**
   * The places of arguments that are sent once if they are frozen: values, or lists of them. The answer may contain
   * them.
   */
  readonly sentOnce?: readonly RecreatedArgument['at'][];
  /** Members of the answer that are functions. They stay in the plugin; names of methods to call replace them. */
  readonly keeps?: readonly string[];
}

/** A module of the user that runs in its own process. */
export interface Plugin {
  /** Its description of itself: see `LoadedHook` and `EngineLoaded`. */
  readonly loaded: unknown;
  /**
   * Calls a method. Arguments and answer are JSON. Rejects with a PluginFailure, and with
   * nothing else.
   */
  call(method: string, args: readonly unknown[], options: CallOptions): Promise<unknown>;
  /** Whether it has ended: every further call fails. */
  isOver(): boolean;
  /** Ends it and its child processes. */
  close(): Promise<void>;
}

export type StartPlugin = (start: PluginStart) => Promise<Plugin>;

/** The kind of a plugin's module. */
export type PluginKind = 'hook' | 'engine' | 'injector';

/** A part of the arguments that is not JSON, and is created in the plugin; `at` is its place: `[0, 'signal']`. */
export type RecreatedArgument =
  /** An AbortSignal, which aborts when the call times out or is cancelled. */
  | { readonly at: readonly (string | number)[]; readonly kind: 'signal' }
  /** A Set of the items of the list there. */
  | { readonly at: readonly (string | number)[]; readonly kind: 'set' }
  /** A value that was sent before, by its number, or a list of such values. */
  | { readonly at: readonly (string | number)[]; readonly kind: 'sent'; readonly ids: number | readonly number[] }
  /** A function that calls a handler of the host. */
  | { readonly at: readonly (string | number)[]; readonly kind: 'function'; readonly handler: string };
