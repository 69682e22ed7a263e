import type { Problem } from '#base/errors.js';
import type { OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { Format, Report } from '#ui/doc/define.js';
import type { Doc } from '#ui/doc/doc.js';
import { renderers } from '#ui/doc/index.js';
import type { Theme } from '#ui/doc/style.js';
import type { Flag, FlagValues } from './flags.js';

export interface Argument {
  readonly name: string;
  readonly help: string;
  /** The last argument of a command may be given any number of times. */
  readonly isMany?: true;
  /** A revision of the session before it; alone, of the latest session: see `withPlace`. */
  readonly isRevision?: true;
}

/** The problems and the exit code, known when the last line has been printed. */
export interface End {
  readonly problems: readonly Problem[];
  /** The session that they are about, where it is one. */
  readonly file?: string;
  /** 1 for findings; 0 where it is left out. */
  readonly exitCode?: 0 | 1;
}

/** The result of a command, for the printer. */
export type Outcome =
  | ({ readonly kind: 'report'; readonly report: Report } & End)
  /** Reports that are printed as they come, text one below the other, JSON one on a line; in batches if they have to be waited for. */
  | {
      readonly kind: 'stream';
      readonly items: Iterable<Report> | AsyncIterable<readonly Report[]>;
      /** The format where it is not the one that was asked for. */
      readonly format?: 'json';
      /** Each batch takes the place of the one before it, where there is a screen. */
      readonly isScreen?: boolean;
      /** Nothing of it is kept back for a pager: it goes on until it is interrupted, or asks a question. */
      readonly isUnpaged?: boolean;
      end(): End;
    }
  /** A report in a format of the command's own: documents are laid out, text was made safe and is printed as it is. */
  | { readonly kind: 'pieces'; readonly pieces: Iterable<string> | AsyncIterable<Doc | string>; end(): End }
  /** Bytes that are written as they are, whatever they are: for those who ask for them. */
  | ({ readonly kind: 'bytes'; readonly bytes: Iterable<Uint8Array> } & End);

/** The means to open a file. */
export interface Opener {
  readonly io: Io;
  /** Opens a session that stays open after the command, where one caller runs many. */
  openKept?(file: string): Promise<OpenSession>;
  /** Gives back what was opened, and closes it when the last line is printed or the command has failed. */
  keepOpen<Opened extends { close(): void }>(opened: Opened): Opened;
}

export interface CommandInput<Flags extends Readonly<Record<string, Flag<unknown>>>> extends Opener {
  /** Positional arguments; those that were left out are undefined, but for the last one if there may be many. */
  readonly args: readonly (string | undefined)[];
  readonly flags: FlagValues<Flags>;
  /** The context window in tokens, as a configuration in JSON has it. */
  readonly configuredLimit?: number | undefined;
  /** The output format that was asked for. */
  readonly format: string;
  /** The value of `--color`, for a command that draws its own screen. */
  readonly colour?: Colour | undefined;
  readonly theme?: Theme | undefined;
  /** The template of `--format`, for commands that accept templates. */
  readonly template?: string | undefined;
}

/** One verb of the command line, whole. */
export interface CommandDefinition<Flags extends Readonly<Record<string, Flag<unknown>>>> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly args: readonly Argument[];
  readonly flags: Flags;
  /** Formats of its own, beside those of every command or in their place. */
  readonly formats?: readonly Format[];
  /** The placeholders of its templates, where `--format` takes a template too. */
  readonly placeholders?: readonly string[];
  /** It draws a screen and prints nothing, so it has no formats. */
  readonly isScreen?: true;
  /** It shows what files hold, and takes `--redact`, which it need not know of; where it also writes, by these rules. */
  readonly takesRedact?: true | Pick<Flag<unknown>, 'excludes' | 'needs'>;
  readonly examples: readonly string[];
  run(input: CommandInput<Flags>): Promise<Outcome>;
}

export type Command = CommandDefinition<Readonly<Record<string, Flag<unknown>>>>;

export function defineCommand<const Flags extends Readonly<Record<string, Flag<unknown>>>>(
  definition: CommandDefinition<Flags>,
): Command {
  // Commands of different flags stand in one list; each is given only values that its own flags have read.
  return definition;
}

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
    { name: 'format', placeholder: 'FORMAT', choices: formatsOf(command), help: `output format${takes}` },
    { name: 'json', placeholder: null, help: 'short for --format json' },
    {
      name: 'fields',
      placeholder: 'LIST',
      help: 'print JSON with these members alone, such as meta.size,messages.cached.role',
    },
    {
      name: 'max-tokens',
      placeholder: 'N',
      help: 'print no more than N tokens, estimated; a larger JSON document is refused',
    },
  ];
  const all: readonly FlagText[] = [
    ...(command.isScreen ? [] : formats),
    {
      name: 'color',
      placeholder: 'WHEN',
      choices: COLOUR_CHOICES,
      help: 'use colours: auto (only on a terminal; the default), always or never; without WHEN, always',
    },
    { name: 'no-color', placeholder: null, help: 'short for --color=never' },
    { name: 'no-pager', placeholder: null, help: 'print long output without a pager' },
    { name: 'no-config', placeholder: null, help: 'ignore configuration files' },
    ...(command.takesRedact ? [REDACT, PLAIN] : []),
  ];
  // Some commands say more about one of them.
  return all.filter(({ name }) => !Object.hasOwn(flags, name));
}

/** The values of `--color`. */
export const COLOUR_CHOICES = ['auto', 'always', 'never'] as const;

/** Whether output has colours; auto: the terminal and the environment decide. */
export type Colour = (typeof COLOUR_CHOICES)[number];

const PLAIN: FlagText = {
  name: 'plain',
  placeholder: null,
  help: 'print the texts of a session as they are stored, neither rendered nor wrapped',
};

const REDACT: FlagText = {
  name: 'redact',
  placeholder: null,
  help: 'replace secrets by placeholders such as [REDACTED:github-token:1]',
};

/** All flags of a command, its own first. */
export function flagsOf(command: Command): readonly FlagText[] {
  const help: FlagText = { name: 'help', short: 'h', placeholder: null, help: 'print help' };
  return [...ownFlags(command), ...commonFlags(command), help];
}

/** The flags that a command has of its own. */
export function ownFlags({ flags }: Command): readonly FlagText[] {
  return Object.entries(flags)
    .filter(([, { replacedBy }]) => replacedBy === undefined)
    .map(([name, { short, placeholder, choices, help }]) => ({ name, short, placeholder, choices, help }));
}

/** The names of the formats that `--format` takes. */
export function formatsOf({ formats = [] }: Command): readonly string[] {
  return [...new Set([...renderers, ...formats].map(({ name }) => name))];
}

/** The usage line of a command, such as `ctx log [session] [range] [flags]`. */
export function usageOf({ name, args }: Command): string {
  const words = args.map((arg) => (arg.isMany ? `[${arg.name}...]` : `[${arg.name}]`));
  return ['ctx', name, ...words, '[flags]'].join(' ');
}
