import { renderers } from '#ui/doc/index.js';
import type { Command } from './define.js';

/** A flag of a command as it is written, with nothing of how it is read. */
export interface FlagText {
  /** Without its dashes. */
  readonly name: string;
  readonly short?: string | undefined;
  /** The word for its value; null for a flag that takes none. */
  readonly placeholder: string | null;
  readonly choices?: readonly string[] | undefined;
  readonly help: string;
}

/** The flags that every command has, or every one that shows what files hold, beside its own. */
export function commonFlags(command: Command): readonly FlagText[] {
  const { placeholders, flags } = command;
  const takes = placeholders ? `, or a template of ${placeholders.map((name) => `{${name}}`).join(' ')}` : '';
  const formats: readonly FlagText[] = [
    { name: 'format', placeholder: 'FORMAT', choices: formatsOf(command), help: `how to print${takes}` },
    { name: 'json', placeholder: null, help: 'short for --format json' },
  ];
  const all: readonly FlagText[] = [
    ...(command.isScreen ? [] : formats),
    { name: 'color', placeholder: null, help: 'print colours also where there is no terminal' },
    { name: 'no-color', placeholder: null, help: 'print no colours' },
    { name: 'no-pager', placeholder: null, help: 'print long output without a pager' },
    { name: 'no-config', placeholder: null, help: 'look for no configuration' },
    ...(command.takesRedact ? [REDACT] : []),
  ];
  // Some commands say more about one of them.
  return all.filter(({ name }) => !Object.hasOwn(flags, name));
}

const REDACT: FlagText = {
  name: 'redact',
  placeholder: null,
  help: 'show placeholders such as [REDACTED:github-token:1] in the place of secrets',
};

/** All flags of a command, its own first. */
export function flagsOf(command: Command): readonly FlagText[] {
  const help: FlagText = { name: 'help', short: 'h', placeholder: null, help: 'print help' };
  return [...ownFlags(command), ...commonFlags(command), help];
}

/** The flags that a command has of its own. */
export function ownFlags({ flags }: Command): readonly FlagText[] {
  return Object.entries(flags).map(([name, { short, placeholder, choices, help }]) => {
    return { name, short, placeholder, choices, help };
  });
}

/** The names of the formats that `--format` takes. */
export function formatsOf({ formats = [] }: Command): readonly string[] {
  return [...new Set([...renderers, ...formats].map(({ name }) => name))];
}

/** How a command line begins, such as `ctx log [session] [range]`. */
export function usageOf({ name, args }: Command): string {
  return ['ctx', name, ...args.map((arg) => (arg.isMany ? `[${arg.name}...]` : `[${arg.name}]`))].join(' ');
}
