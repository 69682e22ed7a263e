import { visibleLine } from '#base/visible.js';
import { TOKENIZER_HELP, TOKENIZER_NAMES } from '#context/tokenizers/index.js';
import type { Io } from '#platform/io.js';
import { choice, number, positive, rare, text, time, toggle } from './flags.js';

// Flags that several commands have, each with one meaning.

export const at = text('REV', 'another way to write [rev], the entry to look at');

export const baseline = text(
  'FILE',
  'JSON file with the system parts, tools, options and limit that the session does not record',
);

export const limit = positive(
  'TOKENS',
  "the model's context window (default: the configured one, else the known one for the model)",
);

export const lenient = rare(toggle('skip patch ops that break a rule instead of failing'));

export const ephemeral = rare(toggle('include the messages that were logged for this request only, as uncached'));

export const implementations = rare(text('FILE', 'JSON list of the tool names that have an implementation'));

export const tokenizer = choice('NAME', TOKENIZER_NAMES, TOKENIZER_HELP);

const TIMES = '2026-03-02, 2026-03-02T09:30 (UTC, or with a zone), or 30m, 2h, 3d, 1w ago';

/** For entries. */
export const sinceTime = time('TIME', `from this time on: ${TIMES}`);

/** For sessions, which are selected by their last entry. */
export const since = time('TIME', `only sessions whose last entry is of this time or later: ${TIMES}`);

export const until = time('TIME', 'up to this time; a date alone is its first moment');

/** Required by the commands that have it. */
export const newSession = { ...text('FILE', 'the new session file'), short: 'o', requiredUnless: ['dry-run'] };

export const dryRun = toggle('print what would be written, and write nothing');

export const force = toggle('replace files that exist');

/** The flags of the commands that read the whole configuration. */
export const configFlags = {
  config: text('FILE', 'the configuration to read (default: the nearest ctx.config file)'),
  'no-config': toggle('look for no configuration'),
};

/** Prints the lines of a module of the user on standard error, each after the name of its file. */
export function logOn({ stderr }: Pick<Io, 'stderr'>): (file: string, line: string) => void {
  return (file, line) => void stderr.write(`${visibleLine(`${file}: ${line}`)}\n`).catch(() => false);
}

/** The flags of the commands that follow Pi's settings for compactions. */
export const compactionFlags = {
  reserve: number('TOKENS', "Pi compacts when fewer tokens are free (default: Pi's setting, or 16384)"),
  'keep-recent': number('TOKENS', "tokens of recent messages to keep (default: Pi's setting, or 20000)"),
};

/** The default of `timeLimit`, in seconds. */
const SECONDS = 30;

export const timeLimit = positive(
  'SECONDS',
  `the time limit for loading your code, and for each call (default: ${SECONDS})`,
);

/** Milliseconds. */
export function timeLimitOf(seconds: number = SECONDS): number {
  return seconds * 1000;
}
