import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { COLOUR_CHOICES } from './commands/define.js';

/** Former names of commands, each with the words that replace it. They keep working and print the new ones on stderr. */
const FORMER: Readonly<Record<string, string>> = {
  restore: 'revert',
  gate: 'status --history',
  assemble: 'engine run',
  ledger: 'facts',
  'check --fix': 'repair',
};

/** Other names of commands that are there to stay. */
const ALIASES: Readonly<Record<string, string>> = { undo: 'revert', 'hooks run': 'hooks' };

/** Words that name no command, each with the command that is probably meant. */
export const SYNONYMS: Readonly<Record<string, string>> = {
  branch: 'extract',
  browse: 'explore',
  convert: 'export',
  cost: 'stats',
  costs: 'stats',
  find: 'grep',
  fix: 'repair',
  fork: 'extract',
  history: 'log',
  html: 'report',
  lint: 'check',
  list: 'ls',
  price: 'stats',
  search: 'grep',
  shrink: 'prune',
  sql: 'query',
  summarize: 'compact',
  transcript: 'export',
  tui: 'explore',
  upgrade: 'migrate',
  usage: 'stats',
  validate: 'check',
  view: 'explore',
};

/** A command line in the current names. */
export interface CurrentLine {
  readonly argv: readonly string[];
  /** The former name and its replacement, for a line that was written with one. */
  readonly renamed: { readonly from: string; readonly to: string } | null;
}

/** Replaces a former or other name of a command by the current one. */
export function currentLine(argv: readonly string[]): CurrentLine {
  if (argv[0] === 'help') {
    const { argv: words, renamed } = currentLine(argv.slice(1));
    return { argv: ['help', ...words], renamed };
  }
  for (const [from, to] of Object.entries({ ...FORMER, ...ALIASES })) {
    const rest = without(argv, from);
    if (rest) return { argv: [...to.split(' '), ...rest], renamed: Object.hasOwn(FORMER, from) ? { from, to } : null };
  }
  return { argv, renamed: null };
}

/** The command line without the words of a name and without its flag; null if one of them is missing. */
function without(argv: readonly string[], name: string): readonly string[] | null {
  const words = name.split(' ').filter((word) => !word.startsWith('--'));
  if (!words.every((word, at) => word === argv[at])) return null;
  const [flag] = /--.*/.exec(name) ?? [];
  const rest = argv.slice(words.length);
  if (flag === undefined) return rest;
  const at = rest.indexOf(flag);
  return at < 0 ? null : rest.toSpliced(at, 1);
}

/** The former names of a command whose replacement flags the command has. */
export function formerNamesOf(command: string, flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(FORMER).flatMap(([from, to]) => {
    const [name, needed] = to.split(' --');
    return name === command && (needed === undefined || flags[needed] === true) ? [from] : [];
  });
}

/** Whether a name was one of a command. */
export function isFormerName(name: string): boolean {
  return Object.hasOwn(FORMER, name);
}

/** A command line with its command first. */
interface CommandLine {
  /** The folder to run in, as `-C` names it; undefined: the working directory. */
  readonly folder: string | undefined;
  readonly argv: readonly string[];
}

/** Flags of every command that have a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(['--color', '--config', '--format']);
const WITHOUT_VALUE = /^--(?:json|no-color|no-config|no-pager|plain|redact|(?:color|config|format)=.*)$/s;

/** Moves flags before the command to the place after it, since git accepts both. Throws a CtxError (usage) for `-C` without a folder. */
export function commandFirst(given: readonly string[]): CommandLine {
  const argv = withColourValues(given);
  const leading: string[] = [];
  let folder: string | undefined;
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '-C') folder = joined(folder, argv[(at += 1)]);
    else if (WITHOUT_VALUE.test(word)) leading.push(word);
    else if (WITH_VALUE.has(word)) leading.push(word, argv[(at += 1)] ?? '');
    else break;
  }
  const [command, ...rest] = argv.slice(at);
  if (command === undefined || command.startsWith('-') || command === 'help') return { folder, argv: argv.slice(at) };
  return { folder, argv: [command, ...leading, ...rest] };
}

function joined(before: string | undefined, folder: string | undefined): string {
  if (folder === undefined) throw new CtxError('usage', '-C needs a folder', { hint: 'write: ctx -C DIR COMMAND' });
  return before === undefined || path.isAbsolute(folder) ? folder : path.join(before, folder);
}

/** `--color` alone is `--color=always`, and no word after it is taken for its value but one that it can have. */
function withColourValues(argv: readonly string[]): readonly string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word !== '--color' || at >= end) words.push(word);
    else if (COLOUR_CHOICES.some((choice) => choice === argv[at + 1])) words.push(`--color=${argv[(at += 1)]}`);
    else words.push('--color=always');
  }
  return words;
}
