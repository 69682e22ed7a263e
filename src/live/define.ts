import type { OpenSession } from '#context/open.js';
import type { EngineDriver } from '#lab/drive/engine-driver.js';
import type { Io } from '#platform/io.js';
import type { StartPlugin } from '#platform/plugin.js';
import type { Head } from '#session/heads/head.js';
import type { LiveBranch } from './branch.js';
import type { AgentCommandLine, RunMain } from './command-line.js';
import type { Pi, PiContext } from './pi.js';
import type { LivePolicy } from './policy.js';
import type { LiveSettings, ProjectFolder } from './settings.js';

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
  /** Forgets the session before: its settings, its branch, its notices. Ignores an event that Pi repeats. */
  begin(event: object): void;
  /** The settings in force. Read at the first use in a session; invalid ones are the defaults, with one notice. */
  settings(ctx: PiContext): Promise<LiveSettings>;
  /** The policy in force. Read at the first use in a session; an invalid one is the default, with one notice. */
  policy(ctx: PiContext): Promise<LivePolicy>;
  /** The branch of the session as it is now. */
  branch(ctx: PiContext): Promise<LiveBranch>;
  /** Shows a notice once per cause and session. */
  notice(ctx: PiContext, notice: Notice): void;
  /** The command line of ctx, in this process. */
  readonly commandLine: AgentCommandLine;
  /** Creates an engine as `ctx engine run` does. Rejects if it cannot be created. */
  followEngine(start: EngineStart): Promise<FollowedEngine>;
  /** Starts a module of the user in its own process. */
  readonly startPlugin: StartPlugin;
}

/** The command line as the extension uses it; `src/main.ts` is one. */
export interface AgentProgram {
  readonly run: RunMain;
  followEngine(io: Io, start: EngineStart): Promise<FollowedEngine>;
}

/** A context engine, and the branch that it follows. */
export interface EngineStart extends ProjectFolder {
  /** A built-in engine, or the file of one. */
  readonly name: string;
  /** Values of the host, each as `KEY=VALUE`. */
  readonly set: readonly string[];
  /** Milliseconds for each call of a module. */
  readonly timeLimit: number;
  /** The context window in tokens; null if it is unknown. */
  readonly limit: number | null;
  readonly session: OpenSession;
  /** The branch, which grows. */
  readonly path: readonly Head[];
}

/** An engine that follows a branch: `EngineDriver` of the command line. */
export type FollowedEngine = Pick<EngineDriver, 'name' | 'next' | 'close'>;

export interface Notice {
  /** Further notices of the same cause are not shown. */
  readonly cause: string;
  readonly text: string;
  readonly level: 'info' | 'warning' | 'error';
}
