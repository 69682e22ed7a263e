import { Command as Program, CommanderError, Option } from 'commander';
import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/nearest.js';
import type { Theme } from '#ui/doc/style.js';
import { type Colour, type Command, commonFlags, formatsOf } from './commands/define.js';
import { commandNames, loadCommands } from './commands/index.js';
import { excluded } from './flag-rules.js';
import { dashed, optionOf, otherNames, ownOption } from './options.js';

/** A command line as it was read: a command with its input, or a text to print. */
export type Call = RunCall | { readonly kind: 'print'; readonly text: string };

export interface RunCall {
  readonly kind: 'run';
  readonly command: Command;
  readonly args: readonly (string | undefined)[];
  /** How many of the arguments are before `--`; null where the line has none. */
  readonly dash: number | null;
  readonly flags: Readonly<Record<string, unknown>>;
  /** What to write instead of the old names that the line has. */
  readonly notes: readonly string[];
  /** The context window in tokens, as the configuration has it. */
  readonly configuredLimit?: number | undefined;
  readonly format: string;
  readonly template: string | undefined;
  /** The colours that the configuration names. */
  readonly theme?: Theme | undefined;
  /** undefined: the command line does not say. */
  readonly colour: Colour | undefined;
  /** Texts of a session are printed as they are stored. */
  readonly isPlain: boolean;
  /** false: print long output without a pager. */
  readonly pager: false | undefined;
  /** Secrets are not to be seen. */
  readonly isRedacted: boolean;
  /** The configuration that is asked for; false: none, undefined: the nearest one. */
  readonly config: string | false | undefined;
  /** `format` and `template` are what the command line says. */
  readonly isFormatGiven: boolean;
}

/** Reads the command line. Throws a CtxError (usage) for one that makes no sense. */
export async function readCall(argv: readonly string[], version: string): Promise<Call> {
  const [name, ...rest] = argv;
  if (name === 'help' && rest[0] !== undefined) return helpCall(rest, version);
  const commands = await loadCommands(name);
  const named = commands.find((command) => command.name === name);
  // A command that is named needs no program around it, which saves a good part of the start.
  if (named) return read(printing(new Program(`ctx ${named.name}`)), rest, [named]);
  return read(printing(await newProgram(version)), argv, commands);
}

async function helpCall([first = '', ...others]: readonly string[], version: string): Promise<Call> {
  if (commandNames.includes(first)) return readCall([first, '--help'], version);
  const { helpOn } = await import('./help/index.js');
  return { kind: 'print', text: await helpOn([first, ...others], version) };
}

interface Printing {
  readonly program: Program;
  printed(): string;
}

/** Takes what commander would print. */
function printing(program: Program): Printing {
  let printed = '';
  program
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {}, getOutHelpWidth: () => COLUMNS })
    // What a command takes is in its own help.
    .configureHelp({ subcommandTerm: (command) => command.name() });
  program.helpOption('-h, --help', 'print help');
  return { program, printed: () => printed };
}

/** Help is text for any terminal, and the same everywhere. */
const COLUMNS = 80;

function read({ program, printed }: Printing, argv: readonly string[], commands: readonly Command[]): Call {
  let call: Call | null = null;
  const [only, ...others] = commands;
  const isOne = only !== undefined && others.length === 0;
  for (const command of commands) {
    const sub = isOne ? program : program.command(command.name);
    describe(sub, command).action(() => {
      call = callOf(command, sub, argv);
    });
  }
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'print', text: printed() };
    throw usageError(error, isOne ? only.name : undefined);
  }
  return call ?? { kind: 'print', text: printed() };
}

/** The program without its commands. */
async function newProgram(version: string): Promise<Program> {
  const { topicList } = await import('./help/index.js');
  return new Program('ctx')
    .description("See, compare and shrink exactly what your coding agent's model saw. Like git, for context.")
    .version(version, '-V, --version', 'print the version')
    .option('-C <DIR>', 'run in this folder')
    .helpCommand('help [topic]', 'print help for a command, or on a topic')
    .action(function (this: Program) {
      if (this.args[0] !== undefined) throw noCommand(this.args[0]);
      this.outputHelp();
    })
    .addHelpText('after', () => `\n${topicList().trimEnd()}`)
    .allowExcessArguments();
}

/** Gives commander what a command says of itself, and the flags that every command has. */
function describe(sub: Program, command: Command): Program {
  const { summary, description, args, flags, examples } = command;
  sub.summary(summary).description(description).allowExcessArguments(false);
  for (const { name, help, isMany } of args) sub.argument(isMany ? `[${name}...]` : `[${name}]`, help);
  for (const [name, flag] of Object.entries(flags)) {
    const written = `${flag.short === undefined ? '' : `-${flag.short}, `}--${name}`;
    sub.addOption(ownOption(written, name, flag).hideHelp(flag.replacedBy !== undefined));
    for (const other of otherNames(flag)) sub.addOption(ownOption(dashed(other), name, flag).hideHelp());
  }
  for (const common of commonFlags(command)) {
    if (common.name === 'format') sub.addOption(formatOption(command, common.help));
    else if (common.name === 'json') sub.addOption(new Option('--json', common.help).implies({ format: 'json' }));
    else sub.addOption(optionOf(common));
  }
  return sub.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);
}

function formatOption(command: Command, help: string): Option {
  const option = new Option('--format <FORMAT>', help).default('text').choices(formatsOf(command));
  return command.placeholders ? option.argParser((raw) => formatOrTemplate(command, raw)) : option;
}

/** A value of `--format`. Throws a CtxError (usage) for what the command cannot print. */
export function formatOrTemplate(command: Command, raw: string): string {
  const known = formatsOf(command);
  if (known.includes(raw) || (command.placeholders && isTemplate(command, raw))) return raw;
  const choices = `choose ${known.join(', ')}`;
  const { placeholders } = command;
  if (!placeholders) throw new CtxError('usage', `"${raw}" is not a format`, { hint: choices });
  const example = `{${placeholders[0] ?? ''}} {${placeholders.at(-1) ?? ''}}`;
  throw new CtxError('usage', `"${raw}" is neither a format nor a template`, {
    hint: `${choices}, or write a template with {braces}, such as '${example}'`,
  });
}

/** A format as a command is told of it. */
export function toldFormat(command: Command, format: string): Pick<RunCall, 'format' | 'template'> {
  return isTemplate(command, format) ? { format: 'text', template: format } : { format, template: undefined };
}

function isTemplate(command: Command, format: string): boolean {
  return !formatsOf(command).includes(format) && format.includes('{');
}

function callOf(command: Command, sub: Program, argv: readonly string[]): RunCall {
  refuseTwoFormats(sub);
  const given = sub.opts<{ format?: string; color?: Colour | false; pager?: boolean; [flag: string]: unknown }>();
  const { format = 'text', color, pager, config } = given;
  const isGiven = (flag: string): boolean => sub.getOptionValueSource(flag) === 'cli';
  return {
    kind: 'run',
    command,
    // Of an argument that may be given many times, commander makes a list.
    args: (sub.processedArgs as (string | string[] | undefined)[]).flat(),
    dash: argv.includes('--') ? sub.args.length - (argv.length - argv.indexOf('--') - 1) : null,
    flags: Object.fromEntries(
      Object.entries(command.flags).map(([name, flag]) => {
        return [
          name,
          [name, ...otherNames(flag)].map((one) => valueOf(one, given)).find((value) => value !== undefined),
        ];
      }),
    ),
    notes: Object.entries(command.flags).flatMap(([name, { formerly, replacedBy }]) => {
      if (formerly !== undefined && isGiven(wordOf(formerly))) return [`--${formerly} is now --${name}`];
      return replacedBy !== undefined && isGiven(wordOf(name)) ? [`instead of --${name}, write: ${replacedBy}`] : [];
    }),
    ...toldFormat(command, format),
    colour: color === false ? 'never' : color,
    isPlain: command.takesRedact !== undefined && given['plain'] === true,
    pager: pager === false ? false : undefined,
    isRedacted: command.takesRedact !== undefined && given['redact'] === true,
    config: typeof config === 'string' || config === false ? config : undefined,
    isFormatGiven: isGiven('format') || isGiven('json'),
  };
}

/** commander writes the names of its options in one word, and `--no-config` as a `config` that is false. */
function valueOf(name: string, values: Readonly<Record<string, unknown>>): unknown {
  const value = values[wordOf(name.replace(/^no-/, ''))];
  if (name.startsWith('no-')) return value === false ? true : undefined;
  return value === false ? undefined : value;
}

function wordOf(flag: string): string {
  return flag.replace(/-./g, (start) => start.slice(1).toUpperCase());
}

/** `--json` is short for a format, so another one beside it contradicts it. */
function refuseTwoFormats(sub: Program): void {
  const { json, format } = sub.opts<{ json?: boolean; format: string }>();
  if (!json || sub.getOptionValueSource('format') !== 'cli' || format === 'json') return;
  throw excluded('json', `format ${format}`);
}

function noCommand(name: string): CtxError {
  const known = ['help', ...commandNames];
  return new CtxError('usage', `there is no command "${name}"`, {
    hint: didYouMean(name, known, 'ctx --help lists the commands'),
  });
}

/** commander's own sentence, without its prefix and on one line. */
function usageError(error: CommanderError, command: string | undefined): CtxError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest
    .join(' ')
    .replace(/^\(|\)$/g, '')
    .replace(/^Did/, 'did');
  const help = command === undefined ? 'ctx --help' : `ctx ${command} --help`;
  return new CtxError('usage', first.replace(/\.$/, ''), {
    hint: `${suggestion === '' ? '' : `${suggestion} `}see ${help}`,
  });
}
