import type { Io } from '#platform/io.js';
import type { LiveBranch } from './branch.js';
import { createCommandLine, silenceLiveIo } from './command-line.js';
import type { AgentProgram, Live } from './define.js';
import { toFailureNotice } from './install-parts.js';
import type { PiContext } from './pi.js';
import { type LivePolicy, readLivePolicy } from './policy.js';
import type { LiveSettings, ProjectFolder } from './settings.js';

/** The services of the parts, with the world of a process. */
export function createLive(io: Io, load: () => Promise<AgentProgram>): Live {
  const shown = new Set<string>();
  let kept = new BranchCache();
  let settings: { readonly place: string; readonly value: Promise<LiveSettings> } | null = null;
  let policy: Promise<LivePolicy> | null = null;
  let begun: object | null = null;
  const live: Live = {
    begin(event) {
      // Pi's RPC mode emits the start of a new session twice.
      if (event === begun) return;
      begun = event;
      kept = new BranchCache();
      settings = null;
      policy = null;
      shown.clear();
    },
    settings(ctx) {
      const place = { cwd: ctx.cwd, isTrusted: ctx.isProjectTrusted() };
      const key = JSON.stringify(place);
      if (settings?.place !== key) {
        const failed = (error: unknown): void => live.notice(ctx, toFailureNotice({ name: 'settings' }, error));
        settings = { place: key, value: loadSettings(io, place, failed) };
      }
      return settings.value;
    },
    policy(ctx) {
      policy ??= loadPolicy(io, ctx, live);
      return policy;
    },
    branch: (ctx) => kept.find(ctx.sessionManager),
    notice(ctx, { cause, text, level }) {
      if (shown.has(cause)) return;
      shown.add(cause);
      if (ctx.hasUI) ctx.ui.notify(text, level);
      else io.stderr.write(`${text}\n`).catch(() => false);
    },
    commandLine: createCommandLine(io, async () => (await load()).run),
    followEngine: async (start) => (await load()).followEngine(silenceStreams(silenceLiveIo(io)), start),
    startPlugin: io.startPlugin,
  };
  return live;
}

/** A world whose output is discarded: the screen is Pi's. */
function silenceStreams(io: Io): Io {
  return { ...io, stderr: { ...io.stderr, write: () => Promise.resolve(true) } };
}

/** The branch of a session, which is kept while it only grows. */
class BranchCache {
  private branch: LiveBranch | null = null;

  async find(sessions: PiContext['sessionManager']): Promise<LiveBranch> {
    const entries = sessions.getBranch();
    if (this.branch?.grow(entries)) return this.branch;
    const { LiveBranch } = await import('./branch.js');
    const { readPatch } = await import('#context/ops/read-patch.js');
    this.branch = new LiveBranch(sessions, readPatch);
    this.branch.grow(entries);
    return this.branch;
  }
}

/** The settings at a place; the defaults if they are invalid. */
async function loadSettings(io: Io, place: ProjectFolder, failed: (error: unknown) => void): Promise<LiveSettings> {
  const { DEFAULT_LIVE_SETTINGS, readLiveSettings } = await import('./settings.js');
  return readLiveSettings(io.configs, place).catch((error: unknown) => {
    failed(error);
    return DEFAULT_LIVE_SETTINGS;
  });
}

/** Loads the policy. The import is dynamic, since its schemas are needed only for the first use. */
async function loadPolicy({ configs }: Io, ctx: PiContext, live: Live): Promise<LivePolicy> {
  const { defaultPolicy } = await import('#change/prune/policy.js');
  return readLivePolicy(configs, ctx.cwd, ctx.isProjectTrusted()).catch((error: unknown) => {
    live.notice(ctx, toFailureNotice({ name: 'policy' }, error));
    return { policy: defaultPolicy(), limit: null };
  });
}
