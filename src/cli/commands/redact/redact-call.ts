import { CtxError } from '#base/errors.js';
import { buildRedactedFiles } from '#change/redact/redacted-files.js';
import { Redactor } from '#change/redact/redactor.js';
import { addConfiguredDefaults } from '#cli/defaults.js';
import type { Io } from '#platform/io.js';
import type { RunCall } from '../define.js';
import redact, { readRedactionRules } from './command.js';

/** The input of a command without secrets. */
export type RedactedCall = Pick<RunCall, 'args' | 'flags'> & {
  readonly io: Io;
  /** An error as it may be told. */
  shownError(error: unknown): unknown;
};

/**
 * The environment of a command with `--redact`: the files that it opens and their names contain no secrets. The
 * configuration of `ctx redact` adds patterns and exceptions.
 */
export async function redactCall(io: Io, call: RunCall): Promise<RedactedCall> {
  const { flags } = await addConfiguredDefaults(io, { ...call, command: redact, flags: {}, isFormatGiven: true });
  const redactor = new Redactor(await readRedactionRules(io, flags));
  redactor.reserve(JSON.stringify([io.cwd, io.home, io.env[AGENT_FOLDER], call.args, call.flags]));
  const shown = (text: string): string => redactor.redactName(text);
  return {
    io: {
      ...io,
      cwd: shown(io.cwd),
      home: shown(io.home),
      env: { ...io.env, [AGENT_FOLDER]: io.env[AGENT_FOLDER] && shown(io.env[AGENT_FOLDER]) },
      files: buildRedactedFiles(io.files, redactor),
      // A thread would open the files without redaction.
      startThreads: () => Promise.resolve(null),
      // Results there are of files without redaction.
      openIndex: () => Promise.resolve(null),
    },
    args: call.args.map((arg, at) => (arg === undefined || isPattern(io, call, at) ? arg : shown(arg))),
    flags: Object.fromEntries(
      Object.entries(call.flags).map(([name, value]) => [name, PATTERNS.has(name) ? value : shownFlag(value, shown)]),
    ),
    shownError: (error) => (error instanceof CtxError ? errorShown(error, shown) : error),
  };
}

const AGENT_FOLDER = 'PI_CODING_AGENT_DIR';

/** Flags with a pattern, which stay as they are: a placeholder has another meaning in a pattern. */
const PATTERNS: ReadonlySet<string> = new Set(['regexp']);

/** Tests whether an argument is a pattern to search for; the name of a file is not. */
function isPattern(io: Io, { command, args }: RunCall, at: number): boolean {
  const name = command.args[Math.min(at, command.args.length - 1)]?.name;
  return name === 'pattern' && !io.files.exists(args[at] ?? '');
}

function shownFlag(value: unknown, shown: (text: string) => string): unknown {
  if (typeof value === 'string') return shown(value);
  if (!Array.isArray(value)) return value;
  return value.map((one: unknown) => (typeof one === 'string' ? shown(one) : one));
}

/** Redacts an error, whose message may contain the real name of a file. */
function errorShown({ kind, message, where, hint }: CtxError, shown: (text: string) => string): CtxError {
  return new CtxError(kind, shown(message), {
    ...(where === null ? {} : { where: shown(where) }),
    ...(hint === null ? {} : { hint: shown(hint) }),
  });
}
