import { CtxError, unexpected } from '#base/errors.js';
import { nodeIo, type Io } from '#platform/io.js';
import type { LiveBranch } from './branch.js';
import { commandLineOf, type RunMain } from './command-line.js';
import type { Live, LivePart, Notice } from './define.js';
import type { Pi, PiContext } from './pi.js';
import type { LiveSettings, Place } from './settings.js';
import { parts } from './index.js';

/** The extension of Pi. */
export default function extension(pi: Pi): void {
  installParts(pi, liveOn(nodeIo(process), loadMain), parts);
}

/** The command line is the program beside this bundle, which is loaded at its first use. */
async function loadMain(): Promise<RunMain> {
  const { href } = new URL('../cli/main.js', import.meta.url);
  return ((await import(href)) as { readonly run: RunMain }).run;
}

/** Installs parts. An error of one is a notice, at the latest at the start of the session, and the others go on. */
export function installParts(pi: Pi, live: Live, list: readonly LivePart[]): void {
  pi.on('session_start', () => live.begin());
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
  const { message, where, hint } = error instanceof CtxError ? error : unexpected(error);
  const text = [message, where, hint].filter((part) => part !== null).join(': ');
  return { cause: `${name}: ${message}`, text: `ctx: ${name}: ${text}`, level: 'warning' };
}

/** The services of the parts, with the world of a process. */
export function liveOn(io: Io, load: () => Promise<RunMain>): Live {
  const shown = new Set<string>();
  let branch: LiveBranch | null = null;
  let settings: { readonly place: string; readonly value: Promise<LiveSettings> } | null = null;
  const live: Live = {
    begin() {
      [branch, settings] = [null, null];
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
    async branch(ctx) {
      const entries = ctx.sessionManager.getBranch();
      if (branch?.grow(entries)) return branch;
      const [{ LiveBranch }, { readPatch }] = await Promise.all([
        import('./branch.js'),
        import('#context/ops/read-patch.js'),
      ]);
      branch = new LiveBranch(ctx.sessionManager, readPatch);
      branch.grow(entries);
      return branch;
    },
    notice(ctx, { cause, text, level }) {
      if (shown.has(cause)) return;
      shown.add(cause);
      if (ctx.hasUI) ctx.ui.notify(text, level);
      else io.stderr.write(`${text}\n`).catch(() => false);
    },
    commandLine: commandLineOf(io, load),
  };
  return live;
}

/** The settings at a place; the defaults if they are invalid. */
async function settingsAt(io: Io, place: Place, failed: (error: unknown) => void): Promise<LiveSettings> {
  const { DEFAULTS, readSettings } = await import('./settings.js');
  return readSettings(io.configs, place).catch((error: unknown) => {
    failed(error);
    return DEFAULTS;
  });
}
