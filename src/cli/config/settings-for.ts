import type { Settings } from '#analysis/check/check.js';
import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';
import { type ConfigFlags, contextBaselineFrom, nameFrom, readConfig } from './read-config.js';
import { type From, type RuleInForce, rulesInForce } from './rules.js';

/** What the command line says of how to check; what it leaves out is undefined. */
export interface CheckFlags extends ConfigFlags {
  readonly rules?: string | undefined;
  readonly requests?: Settings['requests'] | undefined;
  readonly limit?: number | undefined;
  readonly baseline?: string | undefined;
  readonly 'max-warnings'?: number | undefined;
}

/** A value, and what decided it. */
interface Decided<Value> {
  readonly value: Value;
  readonly from: From;
}

/** All that was said about checking, put together. Files are named as seen from the working folder. */
export interface CheckPlan {
  readonly settings: Settings;
  /** The file of the configuration; null where there is none. */
  readonly file: string | null;
  readonly rules: readonly RuleInForce[];
  /** Files, folders and patterns to be checked where none are named. */
  readonly files: Decided<readonly string[]>;
  readonly requests: Decided<Settings['requests']>;
  readonly limit: Decided<number | null>;
  /** The file of what sessions do not record. */
  readonly contextBaseline: Decided<string | null>;
  /** The file of findings that were recorded. */
  readonly baseline: Decided<string | null>;
  readonly maxWarnings: Decided<number | null>;
}

/** Throws a CtxError (usage) for what makes no sense. Only groups of rules that are needed are loaded, if not all are asked for. */
export async function settingsFor(
  io: Io,
  flags: CheckFlags,
  knows: 'needed rules' | 'all rules' = 'needed rules',
): Promise<CheckPlan> {
  const { file, config } = await readConfig(io, flags);
  const rules = await rulesInForce({
    selected: flags.rules === undefined ? null : namesIn(flags.rules),
    configured: config.rules ?? {},
    file: file ?? '',
    knows,
  });
  const fromHere = (name: string): string => nameFrom(file, io, name);
  const contextBaseline = config.contextBaseline === undefined ? undefined : fromHere(config.contextBaseline);
  const requests = decided(flags.requests, config.requests, 'leaf' as const);
  const limit = decided(flags.limit, config.limit, null);
  return {
    settings: {
      rules: rules.flatMap(({ name, group, severity, options }) =>
        severity === 'off' ? [] : [{ name, group, severity, ...(options === null ? {} : { options }) }],
      ),
      requests: requests.value,
      limit: flags.limit,
      configuredLimit: config.limit,
      baseline: contextBaseline === undefined ? undefined : await contextBaselineFrom(io, contextBaseline),
    },
    file,
    rules,
    files: decided(undefined, config.files?.map(fromHere), []),
    requests,
    limit,
    contextBaseline: decided(undefined, contextBaseline, null),
    baseline: decided(flags.baseline, config.baseline === undefined ? undefined : fromHere(config.baseline), null),
    maxWarnings: decided(flags['max-warnings'], config.maxWarnings, null),
  };
}

function namesIn(list: string): readonly string[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > 0) return names;
  throw new CtxError('usage', 'no rules are named', { hint: 'name rules or groups, such as --rules file,tree' });
}

function decided<Value>(flag: Value | undefined, config: Value | undefined, otherwise: Value): Decided<Value> {
  if (flag !== undefined) return { value: flag, from: 'flag' };
  return config === undefined ? { value: otherwise, from: 'default' } : { value: config, from: 'config' };
}
