import { CtxError } from '#base/errors.js';
import { buildRedactedFiles } from '#change/redact/redacted-files.js';
import type { RedactionRules } from '#change/redact/redaction.js';
import { Redactor } from '#change/redact/redactor.js';
import type { CommandCall } from '#cli/arguments/command-call.js';
import { addConfiguredDefaults } from '#cli/arguments/defaults.js';
import type { Io } from '#platform/io.js';
import type { Sharing } from '../define.js';
import redact from './command.js';
import { MaskedValues } from './masked-values.js';
import { readRedactionRules } from './redaction-rules.js';

/** The input of a command without secrets. */
export type RedactedCall = Pick<CommandCall, 'args' | 'flags'> & {
  readonly io: Io;
  /** The sharing of a command whose output is passed on. */
  readonly sharing?: Sharing | undefined;
  readonly rules: RedactionRules;
  /** Returns an error as it may be told: without secrets. */
  maskError(error: unknown): unknown;
};

/**
 * The environment of a command with `--redact`: the files that it opens and their names contain no secrets. The
 * configuration of `ctx redact` adds patterns and exceptions.
 */
export async function redactCall(io: Io, call: CommandCall): Promise<RedactedCall> {
  const { flags } = await addConfiguredDefaults(io, { ...call, command: redact, flags: {}, isFormatGiven: true });
  const isPersonal = call.command.isShared ?? false;
  const rules = await readRedactionRules(io, flags);
  const redactor = new Redactor({ ...rules, isPersonal });
  const masked = new MaskedValues();
  redactor.reserve(JSON.stringify([io.cwd, io.home, io.env[AGENT_FOLDER], call.args, call.flags]));
  const redactText = (text: string): string => redactor.redactName(text);
  return {
    rules,
    io: {
      ...io,
      cwd: redactText(io.cwd),
      home: redactText(io.home),
      env: { ...io.env, [AGENT_FOLDER]: io.env[AGENT_FOLDER] && redactText(io.env[AGENT_FOLDER]) },
      files: buildRedactedFiles(io.files, redactor, (stretch) => masked.add(stretch)),
      // A thread would open the files without redaction.
      startThreads: () => Promise.resolve(null),
      // Results there are of files without redaction.
      openIndex: () => Promise.resolve(null),
      openIndexDatabase: async (_, tables) =>
        (await import('#platform/sqlite/index-database.js')).createMemoryDatabase(tables),
    },
    args: call.args.map((arg, at) => (arg === undefined || isPattern(io, call, at) ? arg : redactText(arg))),
    flags: Object.fromEntries(
      Object.entries(call.flags).map(([name, value]) => [
        name,
        PATTERNS.has(name) ? value : redactFlag(value, redactText),
      ]),
    ),
    sharing: isPersonal
      ? { maskText: (text) => redactor.maskText(text), describe: () => masked.describe() }
      : undefined,
    maskError: (error) => (error instanceof CtxError ? redactError(error, redactText) : error),
  };
}

const AGENT_FOLDER = 'PI_CODING_AGENT_DIR';

/** Flags with a pattern, which stay as they are: a placeholder has another meaning in a pattern. */
const PATTERNS: ReadonlySet<string> = new Set(['regexp']);

/** Tests whether an argument is a pattern to search for; the name of a file is not. */
function isPattern(io: Io, { command, args }: CommandCall, at: number): boolean {
  const name = command.args[Math.min(at, command.args.length - 1)]?.name;
  return name === 'pattern' && !io.files.exists(args[at] ?? '');
}

function redactFlag(value: unknown, redactText: (text: string) => string): unknown {
  if (typeof value === 'string') return redactText(value);
  if (!Array.isArray(value)) return value;
  return value.map((one: unknown) => (typeof one === 'string' ? redactText(one) : one));
}

/** Redacts an error, whose message may contain the real name of a file. */
function redactError({ kind, message, where, hint }: CtxError, redactText: (text: string) => string): CtxError {
  return new CtxError(kind, redactText(message), {
    where: where && redactText(where),
    hint: hint && redactText(hint),
  });
}
