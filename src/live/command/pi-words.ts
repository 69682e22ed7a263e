import type { CommandEnd } from '../command-line.js';
import { RUNNING_SESSION } from '../running-session.js';
import { COMMAND_NAMES } from './names.js';

/** The text of a command, with other commands as they are typed inside Pi. */
export function renderEnd({ stdout, stderr, exitCode }: CommandEnd): string {
  const text = [stdout, stderr].filter((part) => part.trim() !== '').join('\n');
  if (text !== '') return toPiWords(text);
  return exitCode === 0 ? 'no output' : 'nothing was found';
}

/** A text of ctx with the commands and the session as they are named inside Pi. */
export function toPiWords(text: string): string {
  return text
    .replaceAll(/\bctx ([a-z]+) this-session\b/g, '/ctx $1')
    .replaceAll(/\bctx ([a-z]+) SESSION\b/g, '/ctx $1')
    .replaceAll(RUNNING_SESSION, 'this session');
}

/** The lines of `ctx status` with commands of ctx, by their label. Other lines may have words of the session. */
// oxlint-disable-next-line no-control-regex
const COMMAND_LINE = /^(?:\u001b\[\d+m)*(?:Advice|(?:Next|Try)? +(?:\u001b\[\d+m)*ctx) /;

/** The text of `ctx status` with its commands as they are typed inside Pi. */
export function toOwnCommands(text: string): string {
  return text
    .split('\n')
    .map((line) => (COMMAND_LINE.test(line) ? line.replaceAll(/\bctx ([a-z]+)(?: latest)?\b/g, toOwnCommand) : line))
    .join('\n');
}

function toOwnCommand(whole: string, name: string): string {
  return COMMAND_NAMES.includes(name) ? `/ctx ${name}` : whole;
}
