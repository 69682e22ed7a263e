import { CommanderError, Option, Command as Program } from 'commander';
import { buildFlagConflictError } from '../commands/assert-flags.js';
import type { Command } from '../commands/define.js';
import { type Flag, parseFlagValue, positiveFlag } from '../commands/flags.js';
import { findCommandInArguments, loadCommands } from '../commands/index.js';
import { formatShortHelp } from '../help/short-help.js';
import { HELP_COLUMNS } from '../help/terms.js';
import type { Colour } from '../output/colours.js';
import type { CommandCall } from './command-call.js';
import { type FlagHelp, formatUsage, listCommonFlags, listFormats } from './command-flags.js';
import { parseFormat, splitFormat } from './format-flag.js';
import { toUsageError } from './usage-error.js';

/** A command line as it was read: a command with its input, or a text to print. */
export type ReadCall = CommandCall | { readonly kind: 'print'; readonly text: string };

/** Parses a command line in current names. Throws a CtxError (usage) for an invalid one. */
export async function readCall(argv: readonly string[], version: string): Promise<ReadCall> {
  const [command] = await loadCommands(findCommandInArguments(argv));
  if (command) return parseCommand(command, argv.slice(command.name.split(' ').length));
  const words = argv.slice(1).filter((word) => !word.startsWith('-'));
  if (argv[0] === 'help' && findCommandInArguments(words).includes(words.join(' ')))
    return readCall([...words, '--help'], version);
  const { buildHelpText } = await import('../help/index.js');
  return { kind: 'print', text: await buildHelpText(argv, version) };
}

function parseCommand(command: Command, argv: readonly string[]): ReadCall {
  let printed = '';
  const program = new Program(`ctx ${command.name}`).exitOverride().configureOutput({
    writeOut: (text) => (printed += text),
    writeErr: () => {},
    getOutHelpWidth: () => HELP_COLUMNS,
  });
  let call: ReadCall | null = null;
  registerCommand(program, command, argv.includes('-h')).action(() => {
    call = toCommandCall(command, program, argv);
  });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'print', text: printed };
    throw toUsageError(error, command.name);
  }
  return call ?? { kind: 'print', text: printed };
}

/** The title of the flags that all commands share. */
const SHARED = 'Output:';

/**
 * Registers the texts, arguments and flags of a command with commander, its own flags first. `isShort`: for the short
 * help.
 */
function registerCommand(sub: Program, command: Command, isShort: boolean): Program {
  const { description, args, flags, examples } = command;
  const usage = formatUsage(command).slice(`ctx ${command.name} `.length);
  sub.description(description).usage(usage).allowExcessArguments(false).optionsGroup('Flags:');
  for (const { name, help, isMany } of args) sub.argument(isMany ? `[${name}...]` : `[${name}]`, help);
  for (const [name, flag] of Object.entries(flags)) {
    const written = `${flag.short === undefined ? '' : `-${flag.short}, `}--${name}`;
    sub.addOption(createOwnOption(written, name, flag).hideHelp(flag.isHidden === true));
    if (flag.alias !== undefined) sub.addOption(createOwnOption(writeAlias(flag.alias), name, flag).hideHelp());
  }
  for (const common of listCommonFlags(command)) {
    const option = common.name === 'format' ? createFormatOption(command, common.help) : createCommonOption(common);
    sub.addOption((common.name === 'json' ? option.implies({ format: 'json' }) : option).helpGroup(SHARED));
  }
  sub.addHelpOption(new Option('-h, --help', 'print help; -h: only what matters most').helpGroup(SHARED));
  if (isShort) return sub.configureHelp({ formatHelp: () => formatShortHelp(command) });
  return sub.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);
}

function writeAlias(alias: string): string {
  return alias.length === 1 ? `-${alias}` : `--${alias}`;
}

function createFormatOption(command: Command, help: string): Option {
  const option = new Option('--format <FORMAT>', help).default('text').choices(listFormats(command));
  return command.placeholders ? option.argParser((raw) => parseFormat(command, raw)) : option;
}

/** The values of the flags that all commands share, as commander keeps them. */
interface CommonOptions {
  readonly format?: string;
  readonly color?: Colour | false;
  readonly fields?: string;
  readonly maxTokens?: number;
  readonly plain?: true;
  readonly redact?: true;
  /** true without a flag: it has only a negative form. */
  readonly pager?: boolean;
  readonly config?: string | boolean;
}

/** The call of a command line that commander has parsed. */
function toCommandCall(command: Command, program: Program, argv: readonly string[]): CommandCall {
  refuseTwoFormats(program);
  const { format = 'text', color, pager, config, fields, maxTokens, plain, redact } = program.opts<CommonOptions>();
  const wordsAfterDash = argv.length - argv.indexOf('--') - 1;
  return {
    kind: 'run',
    command,
    // Commander makes a list of an argument that may be given many times.
    args: (program.processedArgs as (string | string[] | undefined)[]).flat(),
    dash: argv.includes('--') ? program.args.length - wordsAfterDash : null,
    flags: readFlags(command, program.opts()),
    notes: [],
    ...splitFormat(command, format),
    colour: color === false ? 'never' : color,
    fields,
    // Some commands have a flag of this name that means something else.
    maxTokens: Object.hasOwn(command.flags, 'max-tokens') ? undefined : maxTokens,
    isPlain: command.takesRedact !== undefined && plain === true,
    pager: pager === false ? false : undefined,
    isRedacted: command.takesRedact !== undefined && redact === true,
    config: config === true ? undefined : config,
    isFormatGiven: ['format', 'json', 'fields'].some((flag) => program.getOptionValueSource(flag) === 'cli'),
  };
}

/** The flags of the command itself, under their first names. */
function readFlags({ flags }: Command, values: Readonly<Record<string, unknown>>): CommandCall['flags'] {
  const read = Object.entries(flags).map(([name, { alias = name }]) => {
    return [name, readOption(name, values) ?? readOption(alias, values)] as const;
  });
  return Object.fromEntries(read);
}

/** commander writes the names of its options in one word, and `--no-config` as a `config` that is false. */
function readOption(name: string, values: Readonly<Record<string, unknown>>): unknown {
  const value = values[name.replace(/^no-/, '').replace(/-./g, (start) => start.slice(1).toUpperCase())];
  if (name.startsWith('no-')) return value === false ? true : undefined;
  return value === false ? undefined : value;
}

/** Throws for a second format, since `--json` and `--fields` choose one. */
function refuseTwoFormats(sub: Program): void {
  const { json, fields, format } = sub.opts<CommonOptions & { readonly json?: true }>();
  if (sub.getOptionValueSource('format') !== 'cli' || format === 'json') return;
  if (json || fields !== undefined) throw buildFlagConflictError(json ? 'json' : 'fields', `format ${format}`);
}

/** A flag of a command for commander, under one of its names. */
function createOwnOption(written: string, name: string, flag: Flag<unknown>): Option {
  const option = new Option(`${written}${flag.placeholder === null ? '' : ` <${flag.placeholder}>`}`, flag.help);
  if (flag.placeholder !== null)
    option.argParser((raw, before: unknown) => {
      const given = parseFlagValue(name, flag, raw);
      return flag.isMany && Array.isArray(before) ? before.concat(given) : given;
    });
  if (!flag.choices) return option;
  const { parseArg: readChoice } = option.choices(flag.choices);
  const { findChoice } = flag;
  return findChoice ? option.argParser((raw, before) => readChoice?.(findChoice(raw) ?? raw, before)) : option;
}

function createCommonOption({ name, placeholder, choices, help }: FlagHelp): Option {
  const option = new Option(`--${name}${placeholder === null ? '' : ` <${placeholder}>`}`, help);
  if (name === 'fields') return option.implies({ format: 'json' });
  if (name === 'max-tokens') return option.argParser((raw) => parseFlagValue(name, MAX_TOKENS, raw));
  return choices ? option.choices(choices) : option;
}

const MAX_TOKENS = positiveFlag('N', '');
