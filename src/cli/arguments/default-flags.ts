import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';
import type { Flag } from '../commands/flags.js';
import { configurableWords } from '../commands/index.js';
import { refuseUntrusted } from '../config/read-config.js';
import { type Colour, COLOUR_CHOICES } from '../output/colours.js';
import type { CommandCall } from './command-call.js';
import { parseFormat, splitFormat } from './format-flag.js';
import { NEEDS_TRUST, NEVER_DEFAULT } from './restricted-flags.js';

/** The key `defaults` of a configuration. */
interface DefaultsLayer {
  readonly defaults: unknown;
  /** The file of the configuration. */
  readonly where: string;
  readonly isTrusted: boolean;
}

/**
 * A call with the flags of configurations that the command line does not have. The first configuration that has a flag
 * counts. A flag that needs another one applies where that one is given.
 */
export function applyDefaults(call: CommandCall, layers: readonly DefaultsLayer[]): CommandCall {
  const byName = new Map<string, Default>();
  for (const entry of layers.flatMap((layer) => listDefaults(call, layer))) {
    if (!byName.has(entry.name)) byName.set(entry.name, entry);
  }
  return dropUseless([...byName.values()].reduce(addDefault, call), call);
}

function dropUseless(call: CommandCall, { flags: given }: CommandCall): CommandCall {
  const { command, flags } = call;
  const isGiven = (name: string): boolean => flags[name] !== undefined;
  const isUseful = (name: string): boolean => command.flags[name]?.needs?.some(isGiven) ?? true;
  const useful = Object.entries(flags).filter(([name]) => given[name] !== undefined || isUseful(name));
  return { ...call, flags: Object.fromEntries(useful) };
}

function listDefaults(call: CommandCall, { defaults, where, isTrusted }: DefaultsLayer): readonly Default[] {
  const commands = readObject(defaults, where, 'defaults');
  for (const name of Object.keys(commands)) {
    if (!configurableWords.includes(name))
      throw buildConfigError(
        where,
        `unknown key "${name}" in defaults`,
        didYouMean(name, configurableWords, 'name a command that reads configurations'),
      );
  }
  const { name } = call.command;
  // The name of a command, and the word that its subcommands share.
  return [...new Set([name, name.replace(/ .*/, '')])]
    .filter((key) => Object.hasOwn(commands, key))
    .flatMap((key) =>
      Object.entries(readObject(commands[key], where, `defaults.${key}`)).map(([flag, value]) => {
        return { key, name: flag, value, where, isTrusted };
      }),
    );
}

/** A flag in a configuration. */
interface Default extends Omit<DefaultsLayer, 'defaults'> {
  /** The name of the command in `defaults`. */
  readonly key: string;
  readonly name: string;
  readonly value: unknown;
}

/** Adds a flag of a configuration to a call. Throws a CtxError (usage) if it may not set the flag to this value. */
function addDefault(call: CommandCall, entry: Default): CommandCall {
  const { command } = call;
  const name = findFlagName(command, entry.name);
  refuseRestricted(name, entry);
  const flag = Object.hasOwn(command.flags, name) ? command.flags[name] : undefined;
  const added = locateError(entry, name, () =>
    flag ? addFlag(call, name, parseValue(flag, entry.value)) : addGeneralFlag(call, name, entry.value),
  );
  if (!added) throw buildUnknownFlagError(command, name, entry);
  return added;
}

/** The name of a flag that is written with an earlier one. */
function findFlagName({ flags }: CommandCall['command'], written: string): string {
  return Object.keys(flags).find((name) => flags[name]?.alias === written) ?? written;
}

/** Throws if a configuration cannot set a flag, or only one that the user has allowed. */
function refuseRestricted(name: string, { key, where, isTrusted }: Default): void {
  if (NEVER_DEFAULT.has(name))
    throw buildConfigError(where, `"${name}" cannot be a default, in defaults.${key}`, 'say it on the command line');
  if (NEEDS_TRUST.has(name)) refuseUntrusted({ file: where, isTrusted }, `defaults.${key}.${name} instructs a model`);
}

/** A flag on the command line counts, and excludes its negation, such as --side-by-side and --no-side-by-side. */
function addFlag(call: CommandCall, name: string, value: unknown): CommandCall {
  const { flags } = call;
  const isSaid = [name, `no-${name}`, name.replace(/^no-/, '')].some((one) => flags[one] !== undefined);
  return isSaid ? call : { ...call, flags: { ...flags, [name]: value } };
}

/** Adds a flag that is not of one command alone; null if the command has none of this name. */
function addGeneralFlag(call: CommandCall, name: string, value: unknown): CommandCall | null {
  const { command } = call;
  switch (name) {
    case 'plain':
      return command.takesRedact ? { ...call, isPlain: readSwitch(value) || call.isPlain } : null;
    case 'redact':
      return command.takesRedact ? { ...call, isRedacted: readSwitch(value) || call.isRedacted } : null;
    case 'format':
      return call.isFormatGiven ? call : { ...call, ...splitFormat(command, parseFormat(command, readText(value))) };
    case 'color':
    case 'no-color':
      return { ...call, colour: call.colour ?? readColour(name, value) };
    case 'no-pager':
      return { ...call, pager: call.pager ?? (readSwitch(value) ? false : undefined) };
    default:
      return null;
  }
}

function buildUnknownFlagError({ name: word, flags }: CommandCall['command'], name: string, entry: Default): CtxError {
  const names = [...Object.keys(flags), 'format', 'color', 'no-color', 'no-pager'];
  const hint = didYouMean(name, names, `see ctx ${word} --help`);
  return buildConfigError(entry.where, `unknown key "${name}" in defaults.${entry.key}`, hint);
}

/** Adds the place of a value to the error that refuses it. */
function locateError<Result>({ key, where }: Default, name: string, add: () => Result): Result {
  try {
    return add();
  } catch (error) {
    if (!(error instanceof CtxError) || error.where !== null) throw error;
    const what = `defaults.${key}.${name}: ${error.message}`;
    throw buildConfigError(where, what, error.hint ?? 'correct the configuration');
  }
}

function parseValue(flag: Flag<unknown>, raw: unknown): unknown {
  if (flag.placeholder === null) return readSwitch(raw) || undefined;
  if (flag.isMany && Array.isArray(raw)) return raw.flatMap((one) => flag.parse(readText(one)) as readonly unknown[]);
  const text = readText(raw);
  if (flag.choices && !flag.choices.includes(text))
    throw new CtxError('usage', `"${text}" is none of its choices`, {
      hint: `choose one of ${flag.choices.join(', ')}`,
    });
  return flag.parse(text);
}

/** The colour setting of `--color` or `--no-color`, where `true` means the flag without a value. */
function readColour(name: string, raw: unknown): Colour | undefined {
  const choice = COLOUR_CHOICES.find((one) => name === 'color' && one === raw);
  if (choice !== undefined || !readSwitch(raw)) return choice;
  return name === 'color' ? 'always' : 'never';
}

function readText(raw: unknown): string {
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number' && Number.isFinite(raw)) return String(raw);
  throw new CtxError('usage', 'must be a text or a number', { hint: 'correct the configuration' });
}

function readSwitch(raw: unknown): boolean {
  if (typeof raw === 'boolean') return raw;
  throw new CtxError('usage', 'must be true or false', { hint: 'correct the configuration' });
}

function readObject(value: unknown, where: string, at: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw buildConfigError(where, `${at} must be an object`, 'correct the configuration');
}

function buildConfigError(where: string, what: string, hint: string): CtxError {
  return new CtxError('usage', what, { where, hint: `${hint}, or do without it: --no-config` });
}
