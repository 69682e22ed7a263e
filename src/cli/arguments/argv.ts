import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { COLOUR_CHOICES } from '../commands/define.js';

/** Flags of every command that have a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(['--color', '--config', '--format']);
const WITHOUT_VALUE = /^--(?:json|no-color|no-config|no-pager|plain|redact|(?:color|config|format)=.*)$/s;

/**
 * Moves flags before the command to the place after it and its arguments, since git accepts both. `folder`: the one that
 * `-C` names. Throws a CtxError (usage) for `-C` without a folder.
 */
export function moveCommandFirst(given: readonly string[]) {
  const argv = addColourValues(given);
  const leading: string[] = [];
  let folder: string | undefined;
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '-C') folder = joinFolders(folder, argv[(at += 1)]);
    else if (WITHOUT_VALUE.test(word)) leading.push(word);
    else if (WITH_VALUE.has(word)) leading.push(word, argv[(at += 1)] ?? '');
    else break;
  }
  const rest = argv.slice(at);
  const [command] = rest;
  if (command === undefined || command.startsWith('-') || command === 'help') return { folder, argv: rest };
  // A command may have two words, such as `engine run`.
  const words = rest.findIndex((word) => word.startsWith('-'));
  const end = words === -1 ? rest.length : words;
  return { folder, argv: [...rest.slice(0, end), ...leading, ...rest.slice(end)] };
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
    if (word !== '--color' || at >= end) words.push(word);
    else if (COLOUR_CHOICES.some((choice) => choice === argv[at + 1])) words.push(`--color=${argv[(at += 1)]}`);
    else words.push('--color=always');
  }
  return words;
}
