import { CtxError } from '#base/errors.js';
import { formatCount } from '#base/numbers.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import { findTrigger, type Trigger } from '#change/compact/trigger.js';
import { describeUnknownWindow, findMaxOutput, SUPPLY_WINDOW_HINT } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import { type ContextWindow, findWindow, isWindowKnown } from '#context/size/window.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { findDueRequest } from '../prune/due-request.js';
import { readActivePolicy } from '../prune/policy.js';

/** The command line of a compaction that is to happen only if it is due. */
interface NeedInput {
  readonly io: Io;
  readonly flags: Parameters<typeof readActivePolicy>[1] & { readonly 'max-output'?: number | undefined };
}

interface NeedQuery {
  readonly path: readonly Head[];
  readonly settings: CompactionSettings;
}

/** Whether a compaction is due, the reason, and Pi's figures. */
export type CompactionNeed = { readonly needed: boolean; readonly why: string } & Pick<
  Trigger,
  'tokens' | 'threshold' | 'cutAt'
>;

/**
 * Whether the policy asks for a compaction now, or Pi would compact. Throws a CtxError (usage) if that depends on the
 * context window and its size is unknown.
 */
export async function findNeed(
  { io, flags }: NeedInput,
  session: OpenSession,
  { path, settings }: NeedQuery,
): Promise<CompactionNeed> {
  const { policy, baseline, window: options } = await readActivePolicy(io, flags);
  const window = findWindow(session, path, options);
  const maxOutput = flags['max-output'] ?? findMaxOutput(session, path);
  const byPi = findNeedOfPi(session, { path, settings, window, maxOutput });
  if (byPi.needed || !isWindowKnown(window)) return byPi;
  const { request, why } = findDueRequest(session, path, { policy, baseline, limit: window.tokens });
  return { ...byPi, needed: request === 'compact', why: `${byPi.why}; ${why}` };
}

interface PiQuery extends NeedQuery {
  readonly window: ContextWindow;
  /** The output limit in tokens; null if it is unknown. */
  readonly maxOutput: number | null;
}

function findNeedOfPi(session: OpenSession, { path, settings, window, maxOutput }: PiQuery): CompactionNeed {
  if (!settings.enabled) return { ...NOT_NEEDED, why: "Pi's settings switch automatic compaction off" };
  const trigger = findTrigger(session, { path, settings, contextWindow: window.tokens, maxOutput });
  const { reason, tokens, threshold, cutAt } = trigger;
  if (reason !== null) return { needed: true, why: reason, tokens, threshold, cutAt };
  const notNeeded = { needed: false, tokens, threshold, cutAt };
  if (tokens === null) return { ...notNeeded, why: 'no request was answered since the last compaction' };
  if (threshold !== null)
    return { ...notNeeded, why: `${formatCount(tokens)} of ${formatCount(threshold)} tokens are used` };
  throw new CtxError('usage', describeUnknownWindow(window.model), { where: session.file, hint: SUPPLY_WINDOW_HINT });
}

/** A compaction that is not due, without figures. */
export const NOT_NEEDED = { needed: false, tokens: null, threshold: null, cutAt: null } as const;
