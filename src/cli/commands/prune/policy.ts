import type { Policy } from '#change/prune/policy.js';
import { policyIn } from '#cli/config/prune-policy.js';
import { contextBaselineFrom, nameFrom, readConfig } from '#cli/config/read-config.js';
import { readBaseline } from '#cli/read-json.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Io } from '#platform/io.js';
import { type FlagValues, limitFlag, text, toggle } from '../flags.js';
import { windowOptions } from '../window.js';

/** What commands that follow a policy ask for. */
export const policyFlags = {
  limit: limitFlag,
  baseline: text('FILE', 'JSON with the system parts, tools and limit, where the session does not record them'),
  config: text('FILE', 'the configuration, with the policy under "prune"; the nearest one is found without it'),
  'no-config': toggle('do without a configuration'),
};

/** What holds for a session. */
export interface PolicyInForce {
  readonly policy: Policy;
  readonly window: WindowOptions;
  /** What the session does not record. */
  readonly baseline: Baseline;
}

/** Reads the configuration. A flag counts before it. Throws a CtxError (usage) for what makes no sense. */
export async function policyFor(
  io: Pick<Io, 'configs' | 'cwd' | 'files'>,
  flags: FlagValues<typeof policyFlags>,
): Promise<PolicyInForce> {
  const { file, config } = await readConfig(io, flags);
  const policy = policyIn(config.prune ?? {}, file ?? '');
  const baseline = await baselineFor(io, flags.baseline, { file, name: config.contextBaseline });
  const window = windowOptions({ limit: flags.limit, configuredLimit: config.limit, baseline });
  return { policy, window, baseline };
}

interface Configured {
  readonly file: string | null;
  readonly name: string | undefined;
}

async function baselineFor(
  io: Pick<Io, 'cwd' | 'files'>,
  flag: string | undefined,
  { file, name }: Configured,
): Promise<Baseline> {
  if (flag !== undefined) return readBaseline(io.files, flag);
  return name === undefined ? {} : contextBaselineFrom(io, nameFrom(file, io, name));
}
