import { CtxError } from '#base/errors.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import { summarizerFlags } from '#change/compact/summarizers/index.js';
import type { Assembly } from '#engines/injectors/assembly.js';
import type { StartGuest } from '#platform/plugin-process/guest.js';
import type { SummarizerSetting } from './assembly-schema.js';
import type { ReadConfig } from './read-config.js';

/** The abilities of a command that an assembly with code needs. */
export interface AssemblyCode {
  readonly startGuest: StartGuest;
  /** Milliseconds that each call of a module may take. */
  readonly timeLimit: number;
  onLog(file: string, line: string): void;
  /** Writes a summary as the flags of `ctx compact` say. */
  summarize(task: SummaryTask, flags: Readonly<Record<string, unknown>>): Promise<string>;
}

/**
 * Throws a CtxError (usage) for a setting that runs code in a configuration that the command line does not name: one
 * that was found may come with a folder that another person has made.
 */
export function refuseUnnamed({ file, isNamed }: ReadConfig, setting: string): void {
  if (isNamed) return;
  throw new CtxError('usage', `${setting} runs code, and only a configuration that you name may do that`, {
    where: file ?? '',
    hint: `name it: --config ${file ?? 'FILE'}`,
  });
}

/** The summarizer that a configuration names; null: fixed rules, which need no model. */
export function summarizerIn(
  read: ReadConfig,
  setting: SummarizerSetting | undefined,
  code: AssemblyCode | null,
): Assembly['summarize'] {
  if (setting === undefined || setting.name === 'extract' || code === null) return null;
  refuseUnnamed(read, 'assembly.summarizer');
  const { name, ...values } = setting;
  const flags = { summarizer: name, ...flagsIn(values) };
  return (task) => code.summarize(task, flags);
}

/** The values of flags, read as on the command line. */
function flagsIn(
  values: Readonly<Record<string, string | number | true | undefined>>,
): Readonly<Record<string, unknown>> {
  const parsers = new Map(Object.entries(summarizerFlags).map(([name, { parse }]) => [name, parse]));
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, parsers.get(name)?.(String(value))]],
    ),
  );
}
