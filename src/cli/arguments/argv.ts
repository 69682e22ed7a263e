import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';
import { COLOUR_CHOICES } from '../output/colours.js';

/** Flags of every command that have a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(['--color', '--config', '--format']);
const WITHOUT_VALUE = /^--(?:json|no-color|no-config|no-pager|plain|redact|(?:color|config|format)=.*)$/s;

/**
 * Moves flags before the command to the place after it and its arguments, since git accepts both. `folder`: the one that
 * `-C` names. Throws a CtxError (usage) for `-C` without a folder.
 */
export function moveCommandFirst(given: readonly string[]): PlacedCommand {
  const argv = addColourValues(given);
  const leading: string[] = [];
  let folder: string | undefined;
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const next = argv[at + 1];
    if (WITHOUT_VALUE.test(word)) {
      leading.push(word);
    } else if (WITH_VALUE.has(word)) {
      leading.push(word, next ?? '');
      at += 1;
    } else if (word === '-C') {
      folder = joinFolders(folder, next);
      at += 1;
    } else break;
  }
  const rest = argv.slice(at);
  const [command] = rest;
  if (command === undefined || command.startsWith('-') || command === 'help') return { folder, argv: rest };
  // A command may have two words, such as `engine run`.
  const words = rest.findIndex((word) => word.startsWith('-'));
  const end = words === -1 ? rest.length : words;
  return { folder, argv: [...rest.slice(0, end), ...leading, ...rest.slice(end)] };
}

/** A command line that begins with the command, and the folder in which it runs. */
interface PlacedCommand {
  readonly folder: string | undefined;
  readonly argv: readonly string[];
}

function joinFolders(before: string | undefined, folder: string | undefined): string {
  if (folder === undefined) throw new CtxError('usage', '-C needs a folder', { hint: 'write: ctx -C DIR COMMAND' });
  return before === undefined || path.isAbsolute(folder) ? folder : path.join(before, folder);
}

/** `--color` alone is `--color=always`, and no word after it is taken for its value but one that it can have. */
function addColourValues(argv: readonly string[]): readonly string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const next = argv[at + 1];
    if (word !== '--color' || at >= end) {
      words.push(word);
    } else if (COLOUR_CHOICES.some((choice) => choice === next)) {
      words.push(`--color=${next}`);
      at += 1;
    } else words.push('--color=always');
  }
  return words;
}

/** Other names of commands. */
const ALIASES: Readonly<Record<string, string>> = { undo: 'revert', import: 'convert', 'hooks run': 'hooks' };

/** Replaces another name of a command by its own. */
export function replaceAlias(argv: readonly string[]): readonly string[] {
  if (argv[0] === 'help') return ['help', ...replaceAlias(argv.slice(1))];
  for (const [alias, name] of Object.entries(ALIASES)) {
    const words = alias.split(' ');
    if (words.every((word, at) => word === argv[at])) return [name, ...argv.slice(words.length)];
  }
  return argv;
}

/** The commands that an agent runs as its hooks and for its status line. */
const INSIDE_AGENTS: ReadonlySet<string | undefined> = new Set(['guard', 'statusline']);

/**
 * The exit code of a failed command line. An agent takes 2 from a hook as a refusal, and shows any other one to the user
 * and goes on.
 */
export function toExitCode(argv: readonly string[], exitCode: number): number {
  const [command] = attempt(() => moveCommandFirst(argv).argv, argv);
  return INSIDE_AGENTS.has(command) ? 1 : exitCode;
}
