import type { Problem } from '#base/errors.js';
import type { OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { Doc } from '#ui/doc/doc.js';
import type { Format, Printable } from '#ui/doc/renderer.js';
import type { Theme } from '#ui/doc/style.js';
import type { Colour } from '../output/colours.js';
import type { Flag, FlagValues } from './flags.js';

/** One verb of the command line, whole. */
export interface CommandDefinition<Flags extends Readonly<Record<string, Flag<unknown>>>> {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly args: readonly Argument[];
  readonly flags: Flags;
  /** The command's formats, added to those of every command or replacing them. */
  readonly formats?: readonly Format[];
  /** The placeholders of its templates, if `--format` accepts a template. */
  readonly placeholders?: readonly string[];
  /** Whether the output has only one form, such as a screen or a protocol, so that the command has no formats. */
  readonly hasOneForm?: true;
  /**
   * The command prints contents of files and accepts `--redact`, which works without its help. A command that also
   * writes restricts the flag.
   */
  readonly takesRedact?: true | Pick<Flag<unknown>, 'excludes' | 'needs'>;
  /** Whether the output is passed on, so that `--redact` also masks e-mail addresses and the names of users. */
  readonly isShared?: true;
  readonly examples: readonly string[];
  run(input: CommandInput<Flags>): Promise<Outcome>;
}

export type Command = CommandDefinition<Readonly<Record<string, Flag<unknown>>>>;

export function defineCommand<const Flags extends Readonly<Record<string, Flag<unknown>>>>(
  definition: CommandDefinition<Flags>,
): Command {
  // One list holds commands with different flags; each receives only values that its own flags have parsed.
  return definition;
}

export interface Argument {
  readonly name: string;
  readonly help: string;
  /** The last argument of a command may be given any number of times. */
  readonly isMany?: true;
  /** A revision of the session before it; alone, of the latest session: see src/cli/arguments/separate-revision.ts. */
  readonly isRevision?: true;
  /** The words that it can be, where they are few. */
  readonly choices?: readonly string[];
}

/** Everything that a command gets. */
export interface CommandInput<Flags extends Readonly<Record<string, Flag<unknown>>>>
  extends SessionOpener, CommandSettings {
  /** Positional arguments; those that were left out are undefined, but for the last one if there may be many. */
  readonly args: readonly (string | undefined)[];
  readonly flags: FlagValues<Flags>;
  /** The sharing of a command whose output is passed on, with `--redact`. */
  readonly sharing?: Sharing | undefined;
  /** Returns an error as it may be told: with `--redact`, without secrets. For a command that prints errors itself. */
  maskError(error: unknown): unknown;
}

/** The outside world of a command, where it opens files. */
export interface SessionOpener {
  readonly io: Io;
  /** Opens a session that stays open after the command, where one caller runs many. */
  readonly openKept?: ((file: string) => Promise<OpenSession>) | undefined;
  /** Returns its argument, and closes it when the last line is printed or the command has failed. */
  keepOpen<Opened extends { close(): void }>(opened: Opened): Opened;
}

/** The flags of every command, and the configuration. Most commands need none of them: the printer follows them. */
export interface CommandSettings {
  /** The requested output format. */
  readonly format: string;
  /** The template of `--format`, for commands that accept templates. */
  readonly template?: string | undefined;
  /** Whether secrets in what the command reads are replaced. */
  readonly isRedacted: boolean;
  /** The context window in tokens, as the configuration has it. */
  readonly configuredLimit?: number | undefined;
  /** The value of `--color`; undefined without the flag. */
  readonly colour?: Colour | undefined;
  /** The colours that the configuration names. */
  readonly theme?: Theme | undefined;
}

/** The means to mask what a command writes into a file to pass on. */
export interface Sharing {
  /** Masks a text that comes from no session, such as the name of a file. */
  maskText(text: string): string;
  /** Describes in a sentence what was masked in the sessions that were read. */
  describe(): string;
}

/** The answer of a command, for the printer. A stream has an end that is known when its last item has been printed. */
export type Outcome =
  /** One document: text, or JSON. */
  | ({ readonly kind: 'single'; readonly item: Printable } & OutcomeEnd)
  /** Items that are printed as they come: text, or JSON Lines. */
  | {
      readonly kind: 'stream';
      /** The items that are written at once, such as `batchItems` makes them of an iterable. */
      readonly batches: Iterable<readonly Printable[]> | AsyncIterable<readonly Printable[]>;
      /** The format, if it differs from the requested one. */
      readonly format?: 'json';
      /** Whether each batch replaces the one before it on a terminal. */
      readonly isScreen?: boolean;
      /** The items are in the order of time: if not all fit, the last ones remain, after the lines of the titles. */
      readonly newestLast?: { readonly titles: number } | undefined;
      /** Nothing of it is kept back for a pager: it goes on until it is interrupted, or asks a question. */
      readonly isUnpaged?: boolean;
      end(): OutcomeEnd;
    }
  /** Output in a format of the command's own: documents are laid out, text was made safe and is printed as it is. */
  | { readonly kind: 'pieces'; readonly pieces: Iterable<string> | AsyncIterable<Doc | string>; end(): OutcomeEnd }
  /** Raw bytes of a file, written as they are. */
  | ({ readonly kind: 'bytes'; readonly bytes: Iterable<Uint8Array> } & OutcomeEnd);

/** The items of an outcome that come one after the other. */
export type OutcomeStream = Extract<Outcome, { readonly kind: 'stream' }>;

/** The problems of what was read, the exit code and the notes, which follow an answer. */
export interface OutcomeEnd {
  readonly problems: readonly Problem[];
  /** The session of the problems, if it is a single one. */
  readonly file?: string | undefined;
  /** 1 for findings; 0 by default. */
  readonly exitCode?: 0 | 1;
  /** Sentences for the user beside the output, on standard error. */
  readonly notes?: readonly string[];
}

/** The outcome of a command that prints one item about a session. */
export function toOutcome(
  item: Printable,
  { file, problems }: OpenSession,
  exitCode: 0 | 1 = 0,
): Extract<Outcome, { readonly kind: 'single' }> {
  return { kind: 'single', item, file, problems, exitCode };
}
