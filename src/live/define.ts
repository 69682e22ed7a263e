import type { LiveBranch } from './branch.js';
import type { CommandLine } from './command-line.js';
import type { Pi, PiContext } from './pi.js';
import type { LiveSettings } from './settings.js';

/**
 * A part of the extension. `install` subscribes to events and registers commands; nothing is read before the first
 * event. An error of a handler becomes one notice, and the agent goes on.
 */
export interface LivePart {
  readonly name: string;
  install(pi: Pi, live: Live): void;
}

/** The services of the parts. */
export interface Live {
  /** Forgets the session before: its settings, its branch, its notices. */
  begin(): void;
  /** The settings in force. Read at the first use in a session; invalid ones are the defaults, with one notice. */
  settings(ctx: PiContext): Promise<LiveSettings>;
  /** The branch of the session as it is now. */
  branch(ctx: PiContext): Promise<LiveBranch>;
  /** Shows a notice once per cause and session. */
  notice(ctx: PiContext, notice: Notice): void;
  /** The command line of ctx, in this process. */
  readonly commandLine: CommandLine;
}

export interface Notice {
  /** Further notices of the same cause are not shown. */
  readonly cause: string;
  readonly text: string;
  readonly level: 'info' | 'warning' | 'error';
}
