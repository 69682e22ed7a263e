import { policyIn } from '../config/prune-policy.js';
import { contextBaselineFrom, nameFrom, readConfig } from '../config/read-config.js';
import type { Baseline } from '../context/baseline.js';
import { CtxError } from '../errors.js';
import type { Io } from '../io.js';
import type { Policy } from '../prune/policy.js';
import { readBaseline } from '../read-json.js';
import { type FlagValues, positive, text, toggle } from './flags.js';

/** What commands that follow a policy ask for. */
export const policyFlags = {
  limit: positive('TOKENS', "the model's context window"),
  baseline: text('FILE', 'JSON with the system parts, tools and limit, where the session does not record them'),
  config: text('FILE', 'the configuration, with the policy under "prune"; the nearest one is found without it'),
  'no-config': toggle('do without a configuration'),
};

/** What holds for a session. */
export interface PolicyInForce {
  readonly policy: Policy;
  /** The model's context window in tokens; null where nobody says it. */
  readonly limit: number | null;
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
  return { policy, limit: flags.limit ?? config.limit ?? baseline.limit ?? null, baseline };
}

/** Throws a CtxError (usage) that says how to supply the limit where it is not known. `file`: the session. */
export function neededLimit({ limit }: PolicyInForce, file: string): number {
  if (limit !== null) return limit;
  throw new CtxError('usage', 'the session does not say how much the model can take', {
    where: file,
    hint: 'say it with --limit, as in --limit 200k, or with "limit" in the configuration',
  });
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
