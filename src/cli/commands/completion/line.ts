import { moveCommandFirst, replaceAlias } from '#cli/arguments/argv.js';
import { type FlagHelp, listFlags } from '#cli/arguments/command-flags.js';
import type { Io } from '#platform/io.js';
import type { Command } from '../define.js';
import { commandNames, findCommandInArguments, listSubcommands, loadCommands } from '../index.js';
import { completeItems, type Completion, type CompletionCandidate, toCompletion } from './candidates.js';
import { type CompletionPlace, listCandidates } from './values.js';
import { findArgumentKind, findFlagKind } from './word-kinds.js';

const NOTHING = toCompletion([]);

/** Completes the last of the program's arguments. */
export async function completeLine(io: Io, words: readonly string[]): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (isFolderNext(before)) return { candidates: [], files: 'folders' };
  const argv = replaceAlias(moveCommandFirst(before).argv);
  const [word] = argv;
  if (word === undefined) return toCompletion(await completeFirstWord(typed));
  if (word === 'help') return argv.length === 1 ? toCompletion(await completeHelp(typed)) : NOTHING;
  const [command] = await loadCommands(findCommandInArguments(argv));
  if (command) return completeInCommand(io, command, [...argv.slice(command.name.split(' ').length), typed]);
  return argv.length === 1 ? toCompletion(await completeSubcommands(word, typed)) : NOTHING;
}

/** Whether only `-C` and its values precede the last word, which is the value of a `-C`. */
function isFolderNext(before: readonly string[]): boolean {
  return before.length % 2 === 1 && before.every((word, at) => at % 2 === 1 || word === '-C');
}

/** Completes the second word of a command such as `engine run`. */
async function completeSubcommands(word: string, typed: string): Promise<readonly CompletionCandidate[]> {
  const commands = await loadCommands(listSubcommands(word));
  const subcommands = commands.map(({ name, summary }) => ({ name: name.slice(word.length + 1), summary }));
  return completeItems(typed, subcommands);
}

async function completeFirstWord(typed: string): Promise<readonly CompletionCandidate[]> {
  if (typed.startsWith('-')) return completeItems(typed, FIRST_FLAGS);
  return [...(await completeCommands(typed)), ...completeItems(typed, [HELP])];
}

const FIRST_FLAGS = [
  { name: '--help', summary: 'print help' },
  { name: '--version', summary: 'print the version' },
];

const HELP = { name: 'help', summary: 'Print help for a command or on a topic' };

/** Completes the word after `help`: a command or a topic. */
async function completeHelp(typed: string): Promise<readonly CompletionCandidate[]> {
  const { helpTopics } = await import('#cli/help/topics.js');
  return [...(await completeCommands(typed)), ...completeItems(typed, helpTopics)];
}

/**
 * Completes the name of a command, and loads only the commands that match. A word that subcommands share is offered
 * once.
 */
async function completeCommands(typed: string): Promise<readonly CompletionCandidate[]> {
  const commands = await loadCommands(commandNames.filter((name) => name.startsWith(typed)));
  const abouts = new Map<string, string>();
  for (const { name, summary } of commands) {
    const [word = '', subcommand] = name.split(' ');
    abouts.set(word, subcommand === undefined ? summary : listSubcommands(word).join(', '));
  }
  return [...abouts].map(([value, about]) => ({ value, about }));
}

/** Completes the last of the words after a command. */
async function completeInCommand(io: Io, command: Command, words: readonly string[]): Promise<Completion> {
  const flags = listFlags(command);
  const typed = words.at(-1) ?? '';
  const before = parseWords(flags, words.slice(0, -1));
  const place = { io, command, positional: before.positional };
  if (before.pendingFlag) return listCandidates(place, findFlagKind(before.pendingFlag), typed);
  const isFlag = !before.isPastFlags && /^-./.test(typed);
  if (isFlag) return completeFlag(place, { flags, given: before.givenFlags }, typed);
  const found = await listCandidates(place, findArgumentKind(command, before.positional.length), typed);
  return before.isPastFlags ? found : dropFlags(found);
}

interface FlagsOfLine {
  readonly flags: readonly FlagHelp[];
  /** The names of those that are on the line. */
  readonly given: ReadonlySet<string>;
}

/** Completes the name of a flag, or the value in `--name=value`. */
async function completeFlag(place: CompletionPlace, { flags, given }: FlagsOfLine, typed: string): Promise<Completion> {
  const [, name = '', value] = /^--([^=]+)=(.*)$/s.exec(typed) ?? [];
  if (value === undefined) {
    // A flag is offered once.
    const offered = flags.filter((flag) => !flag.isHidden && !given.has(flag.name));
    return toCompletion(completeItems(typed, offered.map(describeFlag)));
  }
  const flag = flags.find((one) => one.name === name);
  if (!flag || flag.placeholder === null) return NOTHING;
  const { candidates } = await listCandidates(place, findFlagKind(flag), value);
  return toCompletion(candidates.map((one) => ({ ...one, value: `--${name}=${one.value}` })));
}

function describeFlag({ name, placeholder, help }: FlagHelp): { readonly name: string; readonly summary: string } {
  return { name: `--${name}`, summary: placeholder === null ? help : `${placeholder}: ${help}` };
}

/** Removes the labels and ids of a session that look like flags: a session may contain any. */
function dropFlags({ candidates, files }: Completion): Completion {
  return { candidates: candidates.filter(({ value }) => !value.startsWith('-')), files };
}

/** The words before the last one, as they were parsed. */
interface ParsedWords {
  /** Words that are neither flags nor their values. */
  readonly positional: readonly string[];
  /** The flag whose value comes next; null if no value does. */
  readonly pendingFlag: FlagHelp | null;
  /** The names of the flags. */
  readonly givenFlags: ReadonlySet<string>;
  /** Whether `--` is among them, after which no word is a flag. */
  readonly isPastFlags: boolean;
}

function parseWords(flags: readonly FlagHelp[], words: readonly string[]): ParsedWords {
  const positional: string[] = [];
  const givenFlags = new Set<string>();
  let pendingFlag: FlagHelp | null = null;
  let isPastFlags = false;
  for (const word of words) {
    if (pendingFlag) pendingFlag = null;
    else if (isPastFlags || !/^-./.test(word)) positional.push(word);
    else if (word === '--') isPastFlags = true;
    else {
      const alone = flags.find(({ name, short }) => word === `--${name}` || word === `-${short ?? name}`);
      const withValue = flags.find(({ name }) => word.startsWith(`--${name}=`));
      const flag = alone ?? withValue;
      if (flag) givenFlags.add(flag.name);
      pendingFlag = alone && alone.placeholder !== null ? alone : null;
    }
  }
  return { positional, pendingFlag, givenFlags, isPastFlags };
}
