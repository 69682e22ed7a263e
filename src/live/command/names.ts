/** Commands that append to the session. */
export const WRITING_COMMANDS: ReadonlySet<string> = new Set(['prune', 'compact', 'revert', 'apply']);

const READING_COMMANDS = ['show', 'diff', 'cache', 'loss', 'grep', 'status', 'check', 'log', 'tree', 'cat', 'stats'];

/** The commands that run inside Pi. */
export const COMMAND_NAMES: readonly string[] = [...READING_COMMANDS, ...WRITING_COMMANDS];
