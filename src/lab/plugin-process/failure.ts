/** The reason why a plugin has no answer by itself. */
export type ModuleFailureKind = 'threw' | 'not-json' | 'too-long' | 'not-loaded';

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
