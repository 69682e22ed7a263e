import { CtxError } from '#base/errors.js';
import { DEFAULT_POLICY, POLICY_NAMES } from '#change/prune/named-policies.js';
import { listZoneStrategies, type Policy, readPolicy, readStrategies } from '#change/prune/policy.js';
import type { ConfiguredStrategy } from '#change/prune/prune.js';
import compress from '#change/prune/strategies/compress.js';
import { type Zone, zoneOf } from '#change/prune/zones.js';
import { type ReadConfig, readConfig, readConfigBaseline, resolveConfigName } from '#cli/config/read-config.js';
import { readBaseline } from '#cli/read-json.js';
import { addModelList, requireWindow } from '#cli/window.js';
import type { Baseline } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type ContextWindow, type KnownWindow, toWindow, type WindowOptions } from '#context/size/window.js';
import type { Io } from '#platform/io.js';
import { choiceFlag, type FlagValues } from '../flags.js';
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
  /** The configuration that the policy comes from. */
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
  const baseline = await readPolicyBaseline(io, flags.baseline, { file, name: config.contextBaseline });
  const window = addModelList({ limit: flags.limit, configuredLimit: config.limit, baseline });
  return { policy, window, configuration, baseline };
}

async function readPolicyBaseline(
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

/** The zone of a context, and the strategies to prune it with. */
export interface ChosenStrategies {
  /** The policy, with the number of recent turns of the command line. */
  readonly policy: Policy;
  /** The zone of the context, or that of the command line; null if it does not matter. */
  readonly zone: Zone | null;
  readonly strategies: readonly ConfiguredStrategy[];
}

/**
 * Chooses the strategies for a context: those that the command line names, or those of the context's zone. Throws a
 * CtxError (usage) for invalid values, and if the zone depends on an unknown limit.
 */
export function chooseStrategies(configured: Policy, envelope: ContextEnvelope, flags: PruneFlags): ChosenStrategies {
  const policy = setRecentTurns(configured, flags['recent-turns']);
  const { zone, strategies } =
    flags.strategy === undefined
      ? chooseByZone(policy, envelope, flags.zone)
      : chooseByName(policy, envelope, flags.zone, flags.strategy);
  return { policy, zone, strategies: strategies.map((each) => setSideFiles(each, flags['side-files'])) };
}

type StrategiesInZone = Pick<ChosenStrategies, 'zone' | 'strategies'>;

function chooseByZone(policy: Policy, envelope: ContextEnvelope, given: Zone | undefined): StrategiesInZone {
  const zone = given ?? findZone(policy, envelope);
  return { zone, strategies: listZoneStrategies(policy, zone) };
}

/** Strategies that the user names do not depend on a window that is only assumed. */
function chooseByName(
  policy: Policy,
  envelope: ContextEnvelope,
  given: Zone | undefined,
  names: string,
): StrategiesInZone {
  const zone = given ?? (isWindowSet(toWindow(envelope.meta)) ? findZone(policy, envelope) : null);
  return { zone, strategies: readStrategies(names, policy, zone ?? 'red') };
}

function findZone({ thresholds }: Policy, envelope: ContextEnvelope): Zone {
  return zoneOf(envelope.meta.size.tokens, requireEnvelopeWindow(envelope).tokens, thresholds);
}

function isWindowSet({ source }: ContextWindow): boolean {
  return source === 'supplied' || source === 'configured';
}

function setRecentTurns(policy: Policy, keep: number | undefined): Policy {
  if (keep === undefined) return policy;
  if (keep < 1)
    throw new CtxError('usage', '--recent-turns 0 would leave nothing', { hint: 'the newest turn always stays' });
  return { ...policy, recentTurns: { green: keep, yellow: keep, red: keep, compact: keep } };
}

/** Makes the strategy that shortens long results name the files with their full texts. */
function setSideFiles(step: ConfiguredStrategy, folder: string | undefined): ConfiguredStrategy {
  if (folder === '') throw new CtxError('usage', '--side-files names no folder', { hint: 'write . for this one' });
  if (folder === undefined || step.strategy.name !== compress.name) return step;
  return { strategy: step.strategy, options: { ...(step.options as object), spill: folder } };
}
