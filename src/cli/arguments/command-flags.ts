import { renderers } from '#ui/doc/index.js';
import type { Command } from '../commands/define.js';
import type { Flag } from '../commands/flags.js';
import { COLOUR_CHOICES } from '../output/colours.js';

/** A flag of a command as it is written, with nothing of how it is read. */
export interface FlagHelp {
  /** The name without its dashes. */
  readonly name: string;
  readonly short?: string | undefined;
  /** The word for its value; null for a flag without one. */
  readonly placeholder: string | null;
  readonly choices?: readonly string[] | undefined;
  /** The words that a list as its value may contain. */
  readonly list?: readonly string[] | undefined;
  readonly help: string;
  /** The short help omits it. */
  readonly isRare?: true | undefined;
  /** Every help omits it. */
  readonly isHidden?: true | undefined;
}

/** The flags that a command shares with all commands, or with all that print contents of files. */
export function listCommonFlags(command: Command): readonly FlagHelp[] {
  const { placeholders, flags } = command;
  const takes = placeholders ? `, or a template of ${placeholders.map((name) => `{${name}}`).join(' ')}` : '';
  const formats: readonly FlagHelp[] = [
    { name: 'format', placeholder: 'FORMAT', choices: listFormats(command), help: `output format${takes}` },
    { name: 'json', placeholder: null, help: 'short for --format json' },
    {
      name: 'fields',
      placeholder: 'LIST',
      help: 'print JSON with only these members, such as meta.size,messages.cached.role',
    },
    {
      name: 'max-tokens',
      placeholder: 'N',
      help: 'print no more than N tokens, estimated; a larger JSON document is refused',
    },
  ];
  const all: readonly FlagHelp[] = [
    ...(command.hasOneForm ? [] : formats),
    {
      name: 'color',
      placeholder: 'WHEN',
      choices: COLOUR_CHOICES,
      help: 'use colours: auto (only on a terminal; the default), always or never; without WHEN, always',
    },
    { name: 'no-color', placeholder: null, help: 'short for --color=never' },
    { name: 'no-pager', placeholder: null, help: 'print long output without a pager' },
    { name: 'no-config', placeholder: null, help: 'ignore configuration files' },
    ...(command.takesRedact ? [command.isShared ? REDACT_TO_SHARE : REDACT, PLAIN] : []),
  ];
  // Some commands say more about one of them.
  return all.filter(({ name }) => !Object.hasOwn(flags, name));
}

const PLAIN: FlagHelp = {
  name: 'plain',
  placeholder: null,
  help: 'print the texts of a session as they are stored, neither rendered nor wrapped',
};

const REDACT: FlagHelp = {
  name: 'redact',
  placeholder: null,
  help: 'replace secrets, as with [REDACTED:github-token:1]',
};

const REDACT_TO_SHARE: FlagHelp = {
  ...REDACT,
  help: 'replace secrets, e-mail addresses, and names of users in paths, as with [REDACTED:user:1]',
};

/** All flags of a command, also the hidden ones, its own first. */
export function listFlags(command: Command): readonly FlagHelp[] {
  const help: FlagHelp = { name: 'help', short: 'h', placeholder: null, help: 'print help' };
  const own = Object.entries(command.flags).flatMap(([name, flag]) => [
    describeFlag(name, flag),
    ...(flag.alias === undefined
      ? []
      : [{ ...describeFlag(flag.alias, flag), short: flag.alias, isHidden: true as const }]),
  ]);
  return [...own, ...listCommonFlags(command), help];
}

/** The flags that a command defines itself, without the hidden ones. */
export function listOwnFlags({ flags }: Command): readonly FlagHelp[] {
  return Object.entries(flags)
    .map(([name, flag]) => describeFlag(name, flag))
    .filter(({ isHidden }) => !isHidden);
}

function describeFlag(name: string, flag: Flag<unknown>): FlagHelp {
  const { short, placeholder, choices, list, help, isRare, isHidden } = flag;
  return { name, short, placeholder, choices, list, help, isRare, isHidden };
}

/** The flags of the short help: the first ones that are not rare, then those that choose a format and hide secrets. */
export function listFirstFlags(command: Command): readonly FlagHelp[] {
  const often = command.formats ? 'format' : 'json';
  const common = listCommonFlags(command).filter(({ name }) => name === often || name === 'redact');
  const own = listOwnFlags(command).filter(({ isRare }) => !isRare);
  return [...own.slice(0, MOST_FIRST - common.length), ...common];
}

const MOST_FIRST = 8;

/** The names of the formats that `--format` takes. */
export function listFormats({ formats = [] }: Command): readonly string[] {
  return [...new Set([...renderers, ...formats].map(({ name }) => name))];
}

/** The usage line of a command, such as `ctx log [session] [range] [flags]`. */
export function formatUsage({ name, args }: Command): string {
  const words = args.map((arg) => (arg.isMany ? `[${arg.name}...]` : `[${arg.name}]`));
  return ['ctx', name, ...words, '[flags]'].join(' ');
}
