import type { Command, CommandSettings } from '../commands/define.js';

/** A command line as it was read: the command, what it gets, and what the program does for it. */
export interface CommandCall extends CommandSettings {
  readonly kind: 'run';
  readonly command: Command;
  readonly args: readonly (string | undefined)[];
  /** The number of arguments before `--`; null without a `--`. */
  readonly dash: number | null;
  readonly flags: Readonly<Record<string, unknown>>;
  /** Sentences for standard error, such as one about a configuration that is ignored. */
  readonly notes: readonly string[];
  /** The members of JSON to print, separated by commas. */
  readonly fields: string | undefined;
  /** The largest answer, in estimated tokens. */
  readonly maxTokens: number | undefined;
  /** Texts of a session are printed as they are stored. */
  readonly isPlain: boolean;
  /** false: print long output without a pager. */
  readonly pager: false | undefined;
  /** The configuration to use; false: none, undefined: the nearest one. */
  readonly config: string | false | undefined;
  /** `format` and `template` are those of the command line. */
  readonly isFormatGiven: boolean;
}
