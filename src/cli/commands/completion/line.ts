import { replaceAlias } from '#cli/arguments/argv.js';
import { moveCommandFirst } from '#cli/arguments/argv.js';
import { type FlagHelp, listFlags } from '#cli/arguments/command-flags.js';
import type { Io } from '#platform/io.js';
import type { Command } from '../define.js';
import { commandNames, findCommandInArguments, listSubcommands, loadCommands } from '../index.js';
import type { Completion, CompletionCandidate } from './completion.js';
import { listCandidates } from './values.js';
import { findArgumentKind, findFlagKind, type WordKind } from './word-kinds.js';

const NOTHING: Completion = { candidates: [], files: 'none' };

/** Completes the last of the program's arguments. */
export async function completeLine(io: Io, words: readonly string[]): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  if (isFolderNext(words.slice(0, -1))) return { candidates: [], files: 'folders' };
  const argv = replaceAlias(moveCommandFirst(words.slice(0, -1)).argv);
  if (argv.length === 0) return completeFirstWord(typed);
  if (argv[0] === 'help') return argv.length === 1 ? completeHelp(typed) : NOTHING;
  const [command] = await loadCommands(findCommandInArguments(argv));
  if (command) return completeInCommand(io, command, [...argv.slice(command.name.split(' ').length), typed]);
  return argv.length === 1 ? { candidates: await completeSubcommands(argv[0] ?? '', typed), files: 'none' } : NOTHING;
}

/** Whether only `-C` and its values precede the last word, which is the value of a `-C`. */
function isFolderNext(before: readonly string[]): boolean {
  return before.length % 2 === 1 && before.every((word, at) => at % 2 === 1 || word === '-C');
}

async function completeSubcommands(word: string, typed: string): Promise<readonly CompletionCandidate[]> {
  const commands = await loadCommands(listSubcommands(word));
  const candidates = commands.map(({ name, summary }) => ({ value: name.slice(word.length + 1), about: summary }));
  return candidates.filter(startsWith(typed));
}

async function completeFirstWord(typed: string): Promise<Completion> {
  const flags = [
    { value: '--help', about: 'print help' },
    { value: '--version', about: 'print the version' },
  ];
  if (typed.startsWith('-')) return { candidates: flags.filter(({ value }) => value.startsWith(typed)), files: 'none' };
  const help = { value: 'help', about: 'Print help for a command or on a topic' };
  return { candidates: [...(await completeCommands(typed)), ...[help].filter(startsWith(typed))], files: 'none' };
}

async function completeHelp(typed: string): Promise<Completion> {
  const { helpTopics } = await import('#cli/help/topics.js');
  const about = helpTopics.map(({ name, summary }) => ({ value: name, about: summary }));
  return { candidates: [...(await completeCommands(typed)), ...about.filter(startsWith(typed))], files: 'none' };
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

function startsWith(typed: string): (candidate: CompletionCandidate) => boolean {
  return ({ value }) => value.startsWith(typed);
}

/** The words before the last one, as they were parsed. */
interface ParsedWords {
  /** Words that are neither flags nor their values. */
  readonly positional: readonly string[];
  /** The flag whose value comes next. */
  readonly open: FlagHelp | null;
  readonly flags: ReadonlySet<string>;
  readonly isPastFlags: boolean;
}

async function completeInCommand(io: Io, command: Command, words: readonly string[]): Promise<Completion> {
  const flags = listFlags(command);
  const typed = words.at(-1) ?? '';
  const read = readWords(flags, words.slice(0, -1));
  const ask = (kind: WordKind, value: string): Promise<Completion> =>
    listCandidates({ io, command, positional: read.positional }, kind, value);
  if (read.open) return ask(findFlagKind(read.open), typed);
  if (read.isPastFlags) return ask(findArgumentKind(command, read.positional.length), typed);
  if (!/^-./.test(typed)) return dropFlags(await ask(findArgumentKind(command, read.positional.length), typed));
  const [, name = '', value] = /^--([^=]+)=(.*)$/s.exec(typed) ?? [];
  const flag = flags.find((one) => one.name === name);
  if (value === undefined)
    return { candidates: listFlagCandidates(flags, read).filter(startsWith(typed)), files: 'none' };
  if (!flag || flag.placeholder === null) return NOTHING;
  const { candidates } = await ask(findFlagKind(flag), value);
  return { candidates: candidates.map((one) => ({ ...one, value: `--${name}=${one.value}` })), files: 'none' };
}

/** Removes the labels and ids of a session that look like flags: a session may contain any. */
function dropFlags({ candidates, files }: Completion): Completion {
  return { candidates: candidates.filter(({ value }) => !value.startsWith('-')), files };
}

function readWords(flags: readonly FlagHelp[], words: readonly string[]): ParsedWords {
  const positional: string[] = [];
  const seen = new Set<string>();
  let open: FlagHelp | null = null;
  let isPastFlags = false;
  for (const word of words) {
    if (open) open = null;
    else if (isPastFlags || !/^-./.test(word)) positional.push(word);
    else if (word === '--') isPastFlags = true;
    else {
      const flag = flags.find(({ name, short }) => word === `--${name}` || word === `-${short ?? name}`);
      const named = flag ?? flags.find(({ name }) => word.startsWith(`--${name}=`));
      if (named) seen.add(named.name);
      open = flag && flag.placeholder !== null ? flag : null;
    }
  }
  return { positional, open, flags: seen, isPastFlags };
}

/** A flag is offered once. */
function listFlagCandidates(flags: readonly FlagHelp[], { flags: seen }: ParsedWords): readonly CompletionCandidate[] {
  return flags
    .filter(({ name, isHidden }) => !isHidden && !seen.has(name))
    .map(({ name, placeholder, help }) => ({
      value: `--${name}`,
      about: placeholder === null ? help : `${placeholder}: ${help}`,
    }));
}
