import { toVisibleLine } from '#base/visible.js';
import { TOKENIZER_HELP, TOKENIZER_NAMES } from '#context/tokenizers/index.js';
import type { Io } from '#platform/io.js';
import { choiceFlag, hiddenFlag, numberFlag, positiveFlag, rareFlag, textFlag, timeFlag, toggleFlag } from './flags.js';

// Flags that several commands have, each with one meaning.

/** Another way to write `[rev]`. */
export const at = hiddenFlag(textFlag('REV', 'the entry to look at'));

export const baseline = rareFlag(
  textFlag('FILE', 'JSON file with the system parts, tools, options and limit that the session does not record'),
);

export const limit = positiveFlag(
  'TOKENS',
  "the model's context window (default: the configured one, else the known one for the model)",
);

export const lenient = rareFlag(toggleFlag('skip patch ops that break a rule instead of failing'));

export const ephemeral = rareFlag(
  toggleFlag('include the messages that were logged for this request only, as uncached'),
);

export const implementations = rareFlag(textFlag('FILE', 'JSON list of the tool names that have an implementation'));

export const tokenizer = rareFlag(choiceFlag('NAME', TOKENIZER_NAMES, TOKENIZER_HELP));

const TIMES = '2026-03-02, 2026-03-02T09:30 (UTC, or with a zone), or 30m, 2h, 3d, 1w ago';

/** A flag for entries and calls, which are selected by their own time. */
export const sinceTime = timeFlag('TIME', `from this time on: ${TIMES}`);

/** A flag for sessions, which are selected by their last entry. */
export const since = timeFlag('TIME', `only sessions whose last entry is of this time or later: ${TIMES}`);

export const until = timeFlag('TIME', 'up to this time; a date alone is its first moment');

const install = {
  ...toggleFlag('for a session of another agent: put the copy where the agent looks for its sessions'),
  excludes: ['output'],
};

/** Required by the commands that have it. */
export const newSession = { ...textFlag('FILE', 'the new session file'), short: 'o', requiredUnless: ['dry-run'] };

/** One of them is required by the commands that write a copy of another agent's session, and a new one of Pi. */
export const newSessionOrCopy = { output: { ...newSession, requiredUnless: ['install', 'dry-run'] }, install };

export const dryRun = toggleFlag('print what would be written, and write nothing');

export const force = toggleFlag('replace files that exist');

/** The flags of every command that appends to a session. */
export const writingFlags = {
  'dry-run': dryRun,
  output: { ...textFlag('FILE', 'write a copy with the new entries, and leave the session unchanged'), short: 'o' },
  yes: {
    ...toggleFlag('append without asking for confirmation; needed where there is no terminal to ask on'),
    short: 'y',
  },
  force: rareFlag(toggleFlag('replace files that exist, and skip checks whose error mentions --force')),
};

/** The flags of a command that appends to a session, or writes a copy of another agent's session. */
export const copyingFlags = { ...writingFlags, install };

/** The flags of a command that appends to a session by a plan, which can be saved. */
export const planningFlags = {
  ...writingFlags,
  install: { ...install, excludes: [...install.excludes, 'plan'] },
  plan: {
    ...rareFlag(textFlag('FILE', 'save the plan instead, also with --dry-run; ctx apply FILE appends it')),
    excludes: ['output'],
  },
};

/** The flags of the commands that read the whole configuration. */
export const configFlags = {
  config: rareFlag(textFlag('FILE', 'the configuration to read (default: the nearest ctx.config file)')),
  'no-config': rareFlag(toggleFlag('look for no configuration')),
};

/** Prints the lines of a module of the user on standard error, each after the name of its file. */
export function createModuleLog({ stderr }: Pick<Io, 'stderr'>): (file: string, line: string) => void {
  return (file, line) => void stderr.write(`${toVisibleLine(`${file}: ${line}`)}\n`).catch(() => false);
}

/** The flags of the commands that follow Pi's settings for compactions. */
export const compactionFlags = {
  reserve: numberFlag('TOKENS', "Pi compacts when fewer tokens are free (default: Pi's setting, or 16384)"),
  'keep-recent': numberFlag('TOKENS', "tokens of recent messages to keep (default: Pi's setting, or 20000)"),
};

/** The default of `timeLimit`, in seconds. */
const SECONDS = 30;

export const timeLimit = rareFlag(
  positiveFlag('SECONDS', `the time limit for loading your code, and for each call (default: ${SECONDS})`),
);

/** Milliseconds. */
export function toTimeLimit(seconds: number = SECONDS): number {
  return seconds * 1000;
}
