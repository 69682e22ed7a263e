import { Command as Program, CommanderError, Option } from 'commander';
import type { Command } from './commands/define.js';
import { loadCommands } from './commands/index.js';
import { CtxError } from './errors.js';
import { renderers } from './render/index.js';

/** What the command line asks for: a command with its input, or a text to print. */
export type Call =
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly args: readonly (string | undefined)[];
      readonly flags: Readonly<Record<string, unknown>>;
      readonly format: string;
      readonly template: string | undefined;
      readonly colour: boolean | undefined;
    }
  | { readonly kind: 'print'; readonly text: string };

/** Reads the command line. Throws a CtxError (usage) for one that makes no sense. */
export async function readCall(argv: readonly string[], version: string): Promise<Call> {
  const [name, ...rest] = argv;
  const commands = await loadCommands(name);
  const named = commands.find((command) => command.name === name);
  // A command that is named needs no program around it, which saves a good part of the start.
  if (named) return read(printing(new Program(`ctx ${named.name}`)), rest, [named]);
  return read(printing(newProgram(version)), argv, commands);
}

interface Printing {
  readonly program: Program;
  printed(): string;
}

/** Takes what commander would print. */
function printing(program: Program): Printing {
  let printed = '';
  program.exitOverride().configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  program.helpOption('-h, --help', 'print help');
  return { program, printed: () => printed };
}

function read({ program, printed }: Printing, argv: readonly string[], commands: readonly Command[]): Call {
  let call: Call | null = null;
  const [only, ...others] = commands;
  const isOne = only !== undefined && others.length === 0;
  for (const command of commands) {
    const sub = isOne ? program : program.command(command.name);
    describe(sub, command).action(() => {
      call = callOf(command, sub);
    });
  }
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'print', text: printed() };
    throw error.code === 'commander.help' ? noCommand(argv[1] ?? '') : usageError(error, isOne ? only.name : undefined);
  }
  return call ?? { kind: 'print', text: printed() };
}

/** The program without its commands. */
function newProgram(version: string): Program {
  return new Program('ctx')
    .description('What git is to source, ctx is to what a model was shown.')
    .version(version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'print help for a command')
    .action(function (this: Program) {
      if (this.args[0] !== undefined) throw noCommand(this.args[0]);
      this.outputHelp();
    })
    .allowExcessArguments();
}

/** Gives commander what a command says of itself, and the flags that every command has. */
function describe(sub: Program, command: Command): Program {
  const { summary, description, args, flags, examples } = command;
  sub.summary(summary).description(description).allowExcessArguments(false);
  for (const { name, help, isMany } of args) sub.argument(isMany ? `[${name}...]` : `[${name}]`, help);
  for (const [name, flag] of Object.entries(flags)) {
    const value = flag.placeholder === null ? '' : ` <${flag.placeholder}>`;
    const option = new Option(`${flag.short === undefined ? '' : `-${flag.short}, `}--${name}${value}`, flag.help);
    if (flag.placeholder !== null) option.argParser((raw) => flag.parse(raw));
    sub.addOption(flag.choices ? option.choices(flag.choices) : option);
  }
  return sub
    .addOption(formatOption(command))
    .addOption(new Option('--json', 'short for --format json').implies({ format: 'json' }))
    .addOption(new Option('--color', 'print colours also where there is no terminal'))
    .addOption(new Option('--no-color', 'print no colours'))
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);
}

function formatOption({ formats: own = [], placeholders }: Command): Option {
  const choices = [...new Set([...formats, ...own.map(({ name }) => name)])];
  const takes = placeholders ? `, or a template of ${placeholders.map((name) => `{${name}}`).join(' ')}` : '';
  const option = new Option('--format <FORMAT>', `how to print${takes}`).default('text').choices(choices);
  return placeholders ? option.argParser((raw) => formatOrTemplate(raw, placeholders)) : option;
}

function formatOrTemplate(raw: string, placeholders: readonly string[]): string {
  if (formats.includes(raw) || isTemplate(raw)) return raw;
  const example = `{${placeholders[0] ?? ''}} {${placeholders.at(-1) ?? ''}}`;
  throw new CtxError('usage', `"${raw}" is neither a format nor a template`, {
    hint: `choose ${formats.join(', ')}, or write a template with {braces}, such as '${example}'`,
  });
}

const formats: readonly string[] = renderers.map(({ name }) => name);

function isTemplate(format: string): boolean {
  return !formats.includes(format) && format.includes('{');
}

function callOf(command: Command, sub: Program): Call {
  refuseTwoFormats(sub);
  const { format, color, ...flags } = sub.opts<{ format: string; color?: boolean; [flag: string]: unknown }>();
  const isGiven = sub.getOptionValueSource('color') === 'cli';
  return {
    kind: 'run',
    command,
    // Of an argument that may be given many times, commander makes a list.
    args: (sub.processedArgs as (string | string[] | undefined)[]).flat(),
    flags: Object.fromEntries(Object.keys(command.flags).map((name) => [name, valueOf(name, flags)])),
    format: isTemplate(format) ? 'text' : format,
    template: isTemplate(format) ? format : undefined,
    colour: isGiven ? color : undefined,
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
  throw new CtxError('usage', `--json and --format ${format} contradict one another`, {
    hint: 'leave one of them out',
  });
}

function noCommand(name: string): CtxError {
  return new CtxError('usage', `there is no command "${name}"`, { hint: 'ctx --help lists the commands' });
}

/** commander's own sentence, without its prefix and on one line. */
function usageError(error: CommanderError, command: string | undefined): CtxError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest.join(' ').replace(/^\(|\)$/g, '');
  const help = command === undefined ? 'ctx --help' : `ctx ${command} --help`;
  return new CtxError('usage', first.replace(/\.$/, ''), {
    hint: `${suggestion === '' ? '' : `${suggestion} `}see ${help}`,
  });
}
