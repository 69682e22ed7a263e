import { addModelList } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import { HOOK_REASONS, type HookReason } from '#lab/hooks/events.js';
import { findMessageBefore } from '#lab/hooks/hook-messages.js';
import type { HookRequest } from '#lab/hooks/hook-request.js';
import { extendToLeaf, findRequestAt, listPathRequests } from '#lab/hooks/path-requests.js';
import type { HookRun, HookRunOptions } from '#lab/hooks/run.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { resolvePath } from '#session/tree/revision.js';
import { readCompactionSettings } from '../../config/compaction-settings.js';
import { readBaseline } from '../../read-json.js';

interface QueryFlags {
  readonly reason: HookReason | undefined;
  readonly at: string | undefined;
  readonly 'each-request': boolean | undefined;
  readonly trace: boolean | undefined;
  readonly baseline: string | undefined;
  readonly limit: number | undefined;
}

/** The requests that the user wants to see with the hooks. */
export interface HookQuery {
  readonly path: readonly Head[];
  readonly options: Omit<HookRunOptions, 'again'>;
  /** Whether every step of a request is printed. */
  readonly isTraced: boolean;
  /** The number of requests to run. */
  readonly planned: number;
  run(run: HookRun): AsyncIterable<HookRequest>;
}

/** Reads which requests of a session to run, and how. */
export async function readHookQuery(
  io: Io,
  session: OpenSession,
  flags: QueryFlags,
  configuredLimit: number | undefined,
): Promise<HookQuery> {
  const { reason, limit } = flags;
  const { at, path: above } = resolvePath(session, flags.at);
  const isTraced = flags.trace ?? false;
  const baseline = await readBaseline(io.files, flags.baseline);
  const options = {
    reasons: new Set(reason === undefined ? HOOK_REASONS : [reason]),
    baseline,
    window: addModelList({ limit, configuredLimit, baseline }),
    settings: await readCompactionSettings(io, session, above, {}),
    checksCompaction: isTraced,
  };
  if (flags['each-request']) {
    const requests = listPathRequests(above);
    return { path: above, options, isTraced, planned: requests.length, run: (run) => run.runEach(requests) };
  }
  const path = extendToLeaf(session, at);
  const place = above.length - 1;
  return {
    path,
    options,
    isTraced,
    planned: 1,
    async *run(run) {
      yield await runAtPlace(run, reason, path, place);
    },
  };
}

function runAtPlace(
  run: HookRun,
  reason: HookReason | undefined,
  path: readonly Head[],
  place: number,
): Promise<HookRequest> {
  switch (reason) {
    case 'turn_end':
      return run.runOnly(reason, place);
    case 'message':
      return run.runOnly(reason, findMessageBefore(path, place));
    default:
      return run.runOne(findRequestAt(path, place));
  }
}
