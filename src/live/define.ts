import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { attempt, CtxError } from '#base/errors.js';
import { asCount, isObject } from '#base/json.js';
import type { Policy } from '#change/prune/policy.js';
import type { OpenSession } from '#context/open.js';
import type { EngineDriver } from '#lab/drive/engine-driver.js';
import type { Configs } from '#platform/files/config-files.js';
import type { Io } from '#platform/io.js';
import type { StartPlugin } from '#platform/plugin.js';
import type { Head } from '#session/heads/head.js';
import type { LiveBranch } from './branch.js';
import type { AgentCommandLine, RunMain } from './command-line.js';
import type { Pi, PiContext } from './pi.js';
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

/** The policy of a configuration, and the context window that it sets. */
export interface LivePolicy {
  readonly policy: Policy;
  /** In tokens; null: that of Pi's model counts. */
  readonly limit: number | null;
}

/**
 * The policy in force: that of the project, if the user trusts it, else that of the user, else the default. Only JSON is
 * read. Throws a CtxError (usage) for an invalid one.
 */
export async function readLivePolicy(
  configs: Pick<Configs, 'findPlain' | 'user'>,
  cwd: string,
  isTrusted: boolean,
): Promise<LivePolicy> {
  const layers = [await configs.user(), isTrusted ? await configs.findPlain(cwd) : null];
  let [value, file]: readonly [unknown, string] = [{}, ''];
  let limit: number | null = null;
  for (const layer of layers) {
    if (layer === null || !isObject(layer.value)) continue;
    if (layer.value['prune'] !== undefined) [value, file] = [layer.value['prune'], layer.file];
    limit = limitIn(layer.value['limit'], layer.file) ?? limit;
  }
  const { readPolicy } = await import('#change/prune/policy.js');
  return { policy: readPolicy(value, file), limit };
}

function limitIn(value: unknown, where: string): number | null {
  const limit = asCount(value);
  if (value === undefined || (limit !== null && limit > 0)) return limit;
  throw new CtxError('usage', 'limit must be a positive number', { where, hint: 'write tokens, such as 200000' });
}

/** The context window of the session of a running Pi; null if it is unknown. */
export function findLiveWindow({ model }: PiContext, { limit }: LivePolicy): number | null {
  return limit ?? (model && model.contextWindow > 0 ? model.contextWindow : null);
}

/** Whether Pi can append to the file of a session. One that Pi has not written yet may be. */
export function canAppend({ sessionManager }: Pick<PiContext, 'sessionManager'>): boolean {
  const file = sessionManager.getSessionFile();
  if (file === undefined || !existsSync(file)) return true;
  return attempt(() => {
    accessSync(file, constants.W_OK);
    return statSync(file).isFile();
  }, false);
}
