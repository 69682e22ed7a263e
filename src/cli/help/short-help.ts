import { type FlagHelp, formatUsage, listFirstFlags } from '../arguments/command-flags.js';
import type { Command } from '../commands/define.js';
import { formatTerms } from './terms.js';

/** The help of a command that `-h` prints: its use, examples and the flags that matter most. */
export function formatShortHelp(command: Command): string {
  const { name, summary, examples } = command;
  const flags = listFirstFlags(command).map((flag) => [writeFlag(flag), describeFlag(flag)] as const);
  return [
    `${summary}.`,
    '',
    `Usage: ${formatUsage(command)}`,
    '',
    'Examples:',
    ...examples.slice(0, MOST_EXAMPLES).map((example) => `  ${example}`),
    '',
    ...(flags.length === 0 ? [] : ['Flags:', ...formatTerms(flags), '']),
    `ctx ${name} --help has the rest.`,
    '',
  ].join('\n');
}

const MOST_EXAMPLES = 3;

function writeFlag({ name, short, placeholder }: FlagHelp): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${placeholder === null ? '' : ` ${placeholder}`}`;
}

/** The help of a flag without its default and what else is in brackets, with the words that it takes. */
function describeFlag({ help, choices }: FlagHelp): string {
  const short = help.replaceAll(/ \([^()]*\)/g, '');
  return choices ? `${short} (${choices.join(', ')})` : short;
}
