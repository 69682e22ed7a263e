import { CtxError } from '#base/errors.js';
import { type Zone, zoneOf } from '#change/prune/policy-schema.js';
import { type Policy, stepsFor } from '#change/prune/policy.js';
import type { PruneStep } from '#change/prune/prune.js';
import compress from '#change/prune/strategies/compress.js';
import { stepsNamed } from '#cli/config/prune-policy.js';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import { type ContextWindow, windowIn } from '#context/size/window.js';
import { neededWindow } from '../window.js';
import type { PolicyInForce } from './policy.js';

interface Wanted {
  readonly strategy?: string | undefined;
  readonly zone?: Zone | undefined;
  readonly 'recent-turns'?: number | undefined;
  readonly 'side-files'?: string | undefined;
}

/** How a context is pruned. */
export interface Means extends PolicyInForce {
  /** The context window in tokens; null where it is unknown. */
  readonly limit: number | null;
  readonly size: ContextSize;
  /** How full the context is, or what the command line says; null where it does not matter. */
  readonly zone: Zone | null;
  readonly steps: readonly PruneStep[];
}

/**
 * The steps for a context: those that the command line names, or those of the zone that the context is in. Throws a
 * CtxError (usage) for what makes no sense, and where the zone depends on a limit that nobody has said.
 */
export function meansFor(found: PolicyInForce, envelope: ContextEnvelope, flags: Wanted): Means {
  const inForce = { ...found, policy: withRecentTurns(found.policy, flags['recent-turns']) };
  const { policy } = inForce;
  const window = windowIn(envelope.meta);
  const { size } = envelope.meta;
  const isZoneKnown = flags.zone === undefined && (flags.strategy === undefined || isSet(window));
  const zone = isZoneKnown
    ? zoneOf(size.tokens, neededWindow(window, envelope.session.file).tokens, policy.thresholds)
    : (flags.zone ?? null);
  const steps =
    flags.strategy === undefined
      ? stepsFor(policy, zone ?? 'green')
      : stepsNamed(flags.strategy, policy, zone ?? 'red');
  return {
    ...inForce,
    limit: window.tokens,
    size,
    zone,
    steps: steps.map((step) => withSideFiles(step, flags['side-files'])),
  };
}

/** Strategies that the user names do not depend on a window that is only assumed. */
function isSet({ source }: ContextWindow): boolean {
  return source === 'supplied' || source === 'configured';
}

function withRecentTurns(policy: Policy, keep: number | undefined): Policy {
  if (keep === undefined) return policy;
  if (keep < 1)
    throw new CtxError('usage', '--recent-turns 0 would leave nothing', { hint: 'the newest turn always stays' });
  return { ...policy, recentTurns: { green: keep, yellow: keep, red: keep, compact: keep } };
}

/** The strategy that shortens long results says where they are in full. */
function withSideFiles(step: PruneStep, folder: string | undefined): PruneStep {
  if (folder === '') throw new CtxError('usage', '--side-files names no folder', { hint: 'write . for this one' });
  if (folder === undefined || step.strategy.name !== compress.name) return step;
  return { strategy: step.strategy, options: { ...(step.options as object), spill: folder } as never };
}
