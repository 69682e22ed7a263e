import { CtxError } from '#base/errors.js';
import type { GateEvent } from '#change/prune/gate/document.js';
import { type GateRequest, replayGateOnPath } from '#change/prune/gate/gate.js';
import { DEFAULT_POLICY, POLICY_NAMES } from '#change/prune/named-policies.js';
import { listZoneStrategies, type Policy, readPolicy, readStrategies } from '#change/prune/policy.js';
import type { ConfiguredStrategy } from '#change/prune/prune.js';
import compress from '#change/prune/strategies/compress.js';
import { type Zone, zoneOf } from '#change/prune/zones.js';
import { type ReadConfig, readConfig, readConfigBaseline, resolveConfigName } from '#cli/config/read-config.js';
import { readBaseline } from '#cli/read-json.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import { type ContextWindow, type KnownWindow, toWindow, type WindowOptions } from '#context/size/window.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { choiceFlag, type FlagValues } from '../flags.js';
import { addModelList, requireWindow } from '../session.js';
import * as shared from '../shared-flags.js';

/** The flags of the commands that follow a policy. */
export const policyFlags = {
  policy: choiceFlag('NAME', POLICY_NAMES, `the policy (default: the configured one, or ${DEFAULT_POLICY})`),
  limit: shared.limit,
  baseline: shared.baseline,
  ...shared.configFlags,
};

/** The policy, the window and the baseline of a session. */
export interface ActivePolicy {
  readonly policy: Policy;
  readonly window: WindowOptions;
  /** Where the policy comes from. */
  readonly configuration: Pick<ReadConfig, 'file' | 'isTrusted'>;
  /** The parts of the context that the session does not record. */
  readonly baseline: Baseline;
}

/** Reads the configuration. Flags override it. Throws a CtxError (usage) for invalid values. */
export async function readActivePolicy(
  io: Pick<Io, 'configs' | 'cwd' | 'files'>,
  flags: Partial<FlagValues<typeof policyFlags>>,
): Promise<ActivePolicy> {
  const configuration = await readConfig(io, flags);
  const { file, config } = configuration;
  const policy = readPolicy(config.prune ?? {}, file ?? '', flags.policy);
  const baseline = await baselineFor(io, flags.baseline, { file, name: config.contextBaseline });
  const window = addModelList({ limit: flags.limit, configuredLimit: config.limit, baseline });
  return { policy, window, configuration, baseline };
}

async function baselineFor(
  io: Pick<Io, 'cwd' | 'files'>,
  flag: string | undefined,
  { file, name }: { readonly file: string | null; readonly name: string | undefined },
): Promise<Baseline> {
  if (flag !== undefined) return readBaseline(io.files, flag);
  return name === undefined ? {} : readConfigBaseline(io, resolveConfigName(file, io, name));
}

/** The context window. Throws a CtxError (usage) where it is unknown. */
export function requireEnvelopeWindow({ meta, session }: ContextEnvelope): KnownWindow {
  return requireWindow(toWindow(meta), session.file);
}

interface PruneFlags {
  readonly strategy?: string | undefined;
  readonly zone?: Zone | undefined;
  readonly 'recent-turns'?: number | undefined;
  readonly 'side-files'?: string | undefined;
}

/** The zone and the steps to prune a context with. */
export interface ChosenStrategies extends ActivePolicy {
  /** The context window in tokens; null if it is unknown. */
  readonly limit: number | null;
  readonly size: ContextSize;
  /** The zone of the context, or that of the command line; null if it does not matter. */
  readonly zone: Zone | null;
  readonly steps: readonly ConfiguredStrategy[];
}

/**
 * The steps for a context: those that the command line names, or those of the context's zone. Throws a CtxError (usage)
 * for invalid values, and if the zone depends on an unknown limit.
 */
export function chooseStrategies(found: ActivePolicy, envelope: ContextEnvelope, flags: PruneFlags): ChosenStrategies {
  const inForce = { ...found, policy: withRecentTurns(found.policy, flags['recent-turns']) };
  const { policy } = inForce;
  const window = toWindow(envelope.meta);
  const { size } = envelope.meta;
  const isZoneKnown = flags.zone === undefined && (flags.strategy === undefined || isSet(window));
  const zone = isZoneKnown
    ? zoneOf(size.tokens, requireEnvelopeWindow(envelope).tokens, policy.thresholds)
    : (flags.zone ?? null);
  const steps =
    flags.strategy === undefined
      ? listZoneStrategies(policy, zone ?? 'green')
      : readStrategies(flags.strategy, policy, zone ?? 'red');
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

/** Makes the strategy that shortens long results name the files with their full texts. */
function withSideFiles(step: ConfiguredStrategy, folder: string | undefined): ConfiguredStrategy {
  if (folder === '') throw new CtxError('usage', '--side-files names no folder', { hint: 'write . for this one' });
  if (folder === undefined || step.strategy.name !== compress.name) return step;
  return { strategy: step.strategy, options: { ...(step.options as object), spill: folder } as never };
}

/** The open request of a policy at the end of a path. */
interface Due {
  /** null: the policy asks for nothing now. */
  readonly request: GateRequest | null;
  /** The reason in a few words, without a full stop. */
  readonly why: string;
}

/** Replays the gate of a policy along a path, and returns the request that nothing has answered. */
export function findDueRequest(
  session: OpenSession,
  path: readonly Head[],
  { policy, baseline, window }: ActivePolicy & { readonly window: KnownWindow },
): Due {
  const recording = { path, baseline, every: policy.checkAt };
  const replay = replayGateOnPath(session, recording, { policy, limit: window.tokens });
  let last: GateEvent | null = null;
  for (;;) {
    const { done, value } = replay.next();
    if (!done) {
      last = value;
      continue;
    }
    const { waitsFor } = value;
    if (waitsFor === null) return { request: null, why: whyNothing(last) };
    const asked = waitsFor.request === 'prune' ? 'pruning' : 'a compaction';
    return { request: waitsFor.request, why: `the policy asked for ${asked} in turn ${waitsFor.turn}` };
  }
}

function whyNothing(last: GateEvent | null): string {
  if (last === null) return 'no turn has ended';
  if (last.schema === 'ctx/gate-relief')
    return `the context was ${last.by === 'prune' ? 'pruned' : 'compacted'} after the last turn`;
  return WHY[last.why];
}

const WHY = {
  crossed: 'the policy asks for nothing',
  every: 'the policy asks for nothing',
  watch: 'the policy asks for nothing in this zone',
  latched: 'the tokens are on their way down',
  cooldown: 'the policy asked a few turns ago and waits',
};
