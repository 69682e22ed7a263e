import { readConfig } from '#cli/config/read-config.js';
import { EngineInCharge } from '#engines/drive/in-charge.js';
import type { EngineStart, FollowedEngine } from '#live/define.js';
import type { Io } from '#platform/io.js';
import { readSettings } from '../compact/settings.js';
import { policyFor } from '../prune/policy.js';
import { childrenIn, hostValuesOf } from './host.js';
import { engineNamed, explained } from './named.js';

/**
 * Puts an engine in charge of a running agent, as `ctx engine run` does of a recorded session: with the policy, the
 * assembly and the baseline of the configuration. Throws a CtxError if it cannot be created.
 */
export async function followEngine(io: Io, start: EngineStart): Promise<FollowedEngine> {
  const { name, set, session, path, timeLimit } = start;
  const world = inPlace(io, start);
  const { policy, baseline, window } = await policyFor(world, NO_FLAGS);
  const config = await readConfig(world, {});
  const host = hostValuesOf({ set });
  const named = await engineNamed(name, { io: world, config, timeLimit });
  const settings = await readSettings(world, session, path, {});
  const children = childrenIn(io.files, { session, path, host });
  const tokenBudget = window.configuredLimit ?? start.limit;
  const options = { path, tokenBudget, settings, policy, baseline, host, children };
  return EngineInCharge.start(session, named.make, options).catch((error: unknown) => {
    throw explained(error, name);
  });
}

const NO_FLAGS = {
  config: undefined,
  'no-config': undefined,
  policy: undefined,
  limit: undefined,
  baseline: undefined,
};

/** Only JSON is read of a project, and nothing unless the user trusts it. */
function inPlace(io: Io, { cwd, isTrusted }: EngineStart): Io {
  const find = (folder: string): ReturnType<Io['configs']['find']> =>
    isTrusted ? io.configs.findPlain(folder) : Promise.resolve(null);
  return { ...io, cwd, configs: { ...io.configs, find } };
}
