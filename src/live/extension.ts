import { CtxError, toCtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import type { Io } from '#platform/io.js';
import type { LiveBranch } from './branch.js';
import { createCommandLine, silenceLiveIo } from './command-line.js';
import command from './command/command.js';
import { type AgentProgram, type Live, type LivePart, type LivePolicy, type Notice, readLivePolicy } from './define.js';
import gate from './gate/gate.js';
import type { Pi, PiContext } from './pi.js';
import pipeline from './pipeline/pipeline.js';
import recorder from './recorder.js';
import type { LiveSettings, ProjectFolder } from './settings.js';
import statusLine from './status-line.js';
import transforms from './transforms.js';

/** Installs parts. An error of one is a notice, at the latest at the start of the session, and the others go on. */
export function installParts(pi: Pi, live: Live, list: readonly LivePart[]): void {
  pi.on('session_start', (event) => live.begin(event));
  for (const part of list) {
    try {
      part.install(guarded(pi, part, live), live);
    } catch (error) {
      pi.on('session_start', (_event, ctx) => live.notice(ctx, failureOf(part, error)));
    }
  }
}

/** Pi for a part: an error of a handler or a command becomes a notice. */
function guarded(pi: Pi, part: LivePart, live: Live): Pi {
  const guard =
    <Args extends readonly [unknown, PiContext], Result>(handler: (...args: Args) => Result) =>
    async (...args: Args): Promise<Awaited<Result> | undefined> => {
      try {
        refuseNonsense(args[0]);
        return await handler(...args);
      } catch (error) {
        live.notice(args[1], failureOf(part, error));
      }
    };
  const on = (event: string, handler: (event: unknown, ctx: PiContext) => unknown): unknown =>
    pi.on(event as 'session_start', guard(handler) as never);
  return Object.assign(Object.create(pi) as Pi, {
    on: on as Pi['on'],
    registerCommand: (name, options) => pi.registerCommand(name, { ...options, handler: guard(options.handler) }),
  } satisfies Partial<Pi>);
}

function failureOf({ name }: Pick<LivePart, 'name'>, error: unknown): Notice {
  const { message, where, hint } = error instanceof CtxError ? error : (ofSystem(error) ?? toCtxError(error));
  // A flag is of no use inside Pi.
  const hints = hint === null || /(?:^|\s)--[a-z]/.test(hint) ? [] : [hint];
  const text = [message, where, ...hints].filter((part) => part !== null).join(': ');
  // Several parts may meet the same fault.
  return { cause: message, text: `ctx: ${name}: ${text}`, level: 'warning' };
}

/** An error of the file system, such as a full disk; null for any other one. */
function ofSystem(error: unknown): CtxError | null {
  const { code, path: file } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return null;
  return new CtxError('refused', `the session cannot be read or written (${error.message.split(',')[0]})`, {
    ...(file === undefined ? {} : { where: file }),
    hint: 'repair the disk or the path, then open the session again with /resume',
  });
}

/** Pi passes on what other extensions return. Throws a CtxError (input) for lists that are none, or that hold no objects. */
function refuseNonsense(event: unknown): void {
  for (const name of ['messages', 'entries']) {
    const list = isObject(event) ? event[name] : undefined;
    if (list === undefined || (Array.isArray(list) && list.every(isObject))) continue;
    throw new CtxError('input', `another extension returned ${name} that are none, so ctx does nothing here`, {
      hint: 'load Pi without that extension',
    });
  }
}

/** The services of the parts, with the world of a process. */
export function createLive(io: Io, load: () => Promise<AgentProgram>): Live {
  const shown = new Set<string>();
  let kept = new KeptBranch();
  let settings: { readonly place: string; readonly value: Promise<LiveSettings> } | null = null;
  let policy: Promise<LivePolicy> | null = null;
  let begun: object | null = null;
  const live: Live = {
    begin(event) {
      // Pi's RPC mode emits the start of a new session twice.
      if (event === begun) return;
      begun = event;
      [kept, settings, policy] = [new KeptBranch(), null, null];
      shown.clear();
    },
    settings(ctx) {
      const place = { cwd: ctx.cwd, isTrusted: ctx.isProjectTrusted() };
      const key = JSON.stringify(place);
      if (settings?.place !== key) {
        const failed = (error: unknown): void => live.notice(ctx, failureOf({ name: 'settings' }, error));
        settings = { place: key, value: settingsAt(io, place, failed) };
      }
      return settings.value;
    },
    policy(ctx) {
      policy ??= policyFor(io, ctx, live);
      return policy;
    },
    branch: (ctx) => kept.of(ctx.sessionManager),
    notice(ctx, { cause, text, level }) {
      if (shown.has(cause)) return;
      shown.add(cause);
      if (ctx.hasUI) ctx.ui.notify(text, level);
      else io.stderr.write(`${text}\n`).catch(() => false);
    },
    commandLine: createCommandLine(io, async () => (await load()).run),
    followEngine: async (start) => (await load()).followEngine(silent(silenceLiveIo(io)), start),
    startPlugin: io.startPlugin,
  };
  return live;
}

/** A world whose output is discarded: the screen is Pi's. */
function silent(io: Io): Io {
  return { ...io, stderr: { ...io.stderr, write: () => Promise.resolve(true) } };
}

/** The branch of a session, which is kept while it only grows. */
class KeptBranch {
  private branch: LiveBranch | null = null;

  async of(sessions: PiContext['sessionManager']): Promise<LiveBranch> {
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
async function settingsAt(io: Io, place: ProjectFolder, failed: (error: unknown) => void): Promise<LiveSettings> {
  const { DEFAULT_LIVE_SETTINGS, readLiveSettings } = await import('./settings.js');
  return readLiveSettings(io.configs, place).catch((error: unknown) => {
    failed(error);
    return DEFAULT_LIVE_SETTINGS;
  });
}

/** Its schemas are loaded only for the first use. */
async function policyFor({ configs }: Io, ctx: PiContext, live: Live): Promise<LivePolicy> {
  const { defaultPolicy } = await import('#change/prune/policy.js');
  return readLivePolicy(configs, ctx.cwd, ctx.isProjectTrusted()).catch((error: unknown) => {
    live.notice(ctx, failureOf({ name: 'policy' }, error));
    return { policy: defaultPolicy(), limit: null };
  });
}

/** The parts of the extension, in the order in which their handlers run. */
export const parts: readonly LivePart[] = [transforms, pipeline, gate, command, statusLine, recorder];
