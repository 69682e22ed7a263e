import { stepsNamed } from '../config/prune-policy.js';
import type { ContextEnvelope, ContextSize } from '../context/envelope.js';
import { CtxError } from '../errors.js';
import { type Policy, stepsFor } from '../prune/policy.js';
import type { Step } from '../prune/prune.js';
import compress from '../prune/strategies/compress.js';
import { type Zone, zoneOf } from '../prune/zones.js';
import { neededLimit, type PolicyInForce } from './prune-policy.js';

interface Wanted {
  readonly strategy?: string | undefined;
  readonly zone?: Zone | undefined;
  readonly 'recent-turns'?: number | undefined;
  readonly 'side-files'?: string | undefined;
}

/** How a context is pruned. */
export interface Means extends PolicyInForce {
  readonly size: ContextSize;
  /** How full the context is, or what the command line says; null where it does not matter. */
  readonly zone: Zone | null;
  readonly steps: readonly Step[];
}

/**
 * The steps for a context: those that the command line names, or those of the zone that the context is in. Throws a
 * CtxError (usage) for what makes no sense, and where the zone depends on a limit that nobody has said.
 */
export function meansFor(found: PolicyInForce, envelope: ContextEnvelope, flags: Wanted): Means {
  const inForce = { ...found, policy: withRecentTurns(found.policy, flags['recent-turns']) };
  const { policy, limit } = inForce;
  const { size } = envelope.meta;
  const isZoneKnown = flags.zone === undefined && (limit !== null || flags.strategy === undefined);
  const zone = isZoneKnown
    ? zoneOf(size.tokens, neededLimit(inForce, envelope.session.file), policy.thresholds)
    : (flags.zone ?? null);
  const steps =
    flags.strategy === undefined
      ? stepsFor(policy, zone ?? 'green')
      : stepsNamed(flags.strategy, policy, zone ?? 'red');
  return { ...inForce, size, zone, steps: steps.map((step) => withSideFiles(step, flags['side-files'])) };
}

function withRecentTurns(policy: Policy, keep: number | undefined): Policy {
  if (keep === undefined) return policy;
  if (keep < 1)
    throw new CtxError('usage', '--recent-turns 0 would leave nothing', { hint: 'the newest turn always stays' });
  return { ...policy, recentTurns: { green: keep, yellow: keep, red: keep, compact: keep } };
}

/** The strategy that shortens long results says where they are in full. */
function withSideFiles(step: Step, folder: string | undefined): Step {
  if (folder === '') throw new CtxError('usage', '--side-files names no folder', { hint: 'write . for this one' });
  if (folder === undefined || step.strategy.name !== compress.name) return step;
  return { strategy: step.strategy, options: { ...(step.options as object), spill: folder } as never };
}
