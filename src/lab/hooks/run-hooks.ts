import { type CompactionSettings, compactionSettings } from '#change/compact/settings.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import { resolvePath } from '#session/tree/revision.js';
import type { HookRequestLine } from './document.js';
import { HOOK_REASONS, type HookReason } from './events.js';
import type { Handler, HookHost } from './hook-host.js';
import { listPathRequests } from './path-requests.js';
import { toRequestLine } from './request-line.js';
import { HookRun } from './run.js';

/** The object with which a hook module registers its handlers. */
interface HookRegistry {
  on(event: string, handler: (event: never) => unknown): void;
}

/** The handlers of a hook module, called in this process. `hook` is the name under which its results are reported. */
export async function hooksIn(hook: string, module: (pi: HookRegistry) => unknown): Promise<HookHost> {
  const handlers: Handler[] = [];
  await module({
    on: (event, handler) =>
      void handlers.push({
        hook,
        event,
        call: async (given) => toPlainCopy(await handler(structuredClone(given) as never)),
      }),
  });
  return { handlers, render: () => Promise.resolve(null) };
}

/** A result as another process would send it. */
function toPlainCopy(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** The options of `runHooks`. */
export interface RunHooksOptions {
  /** The end of the path (default: the leaf). */
  readonly revision?: string;
  /** The boundaries to run (default: all). */
  readonly reasons?: readonly HookReason[];
  readonly baseline?: Baseline;
  /** The context window in tokens that hooks are told. */
  readonly limit?: number;
  /** Pi's compaction settings (default: Pi's own defaults). */
  readonly settings?: CompactionSettings;
}

/**
 * Runs hooks at every recorded request of a path, as `ctx hooks --each-request --json` does: what they change, what
 * they break, and what that does to the prompt cache. Writes nothing.
 */
export async function* runHooks(
  session: OpenSession,
  host: HookHost,
  options: RunHooksOptions = {},
): AsyncGenerator<HookRequestLine> {
  const { revision, reasons = HOOK_REASONS, baseline = {}, limit, settings = compactionSettings([], null) } = options;
  const { path } = resolvePath(session, revision);
  const again = (): Promise<HookHost> => Promise.resolve(host);
  const run = new HookRun(session, path, host, {
    reasons: new Set(reasons),
    baseline,
    window: { limit },
    settings,
    checksCompaction: false,
    again,
  });
  for await (const request of run.runEach(listPathRequests(path))) yield toRequestLine(request);
}
