import { EngineDriver } from '#lab/drive/engine-driver.js';
import type { EngineStart, FollowedEngine } from '#live/define.js';
import type { Io } from '#platform/io.js';
import { readCompactionSettings } from '../../config/compaction-settings.js';
import { readConfig } from '../../config/read-config.js';
import { readActivePolicy } from '../prune/policy.js';
import { toEngineError } from './engine-error.js';
import { readHostValues } from './host-flags.js';
import { openEngine } from './open-engine.js';
import { loadSubagents } from './subagents.js';

/**
 * Puts an engine in charge of a running agent, as `ctx engine run` does of a recorded session: with the policy, the
 * assembly and the baseline of the configuration. Throws a CtxError if it cannot be created.
 */
export async function followEngine(io: Io, start: EngineStart): Promise<FollowedEngine> {
  const { name, set, session, path, timeLimit } = start;
  const world = useProject(io, start);
  const { policy, baseline, window } = await readActivePolicy(world, {});
  // `useProject` lets through only JSON of the user or of a trusted project, so the engines and hooks in it may run.
  const config = { ...(await readConfig(world, {})), isTrusted: true };
  const host = readHostValues({ set });
  const { make } = await openEngine(name, { io: world, config, timeLimit });
  const settings = await readCompactionSettings(world, session, path, {});
  const children = loadSubagents(io.files, { session, path, host });
  const tokenBudget = window.configuredLimit ?? start.limit;
  const options = { path, tokenBudget, settings, policy, baseline, host, children };
  return EngineDriver.start(session, make, options).catch((error: unknown) => {
    throw toEngineError(error, name);
  });
}

/** Lets the configuration of a project be read only if the user trusts it, and only as JSON. */
function useProject(io: Io, { cwd, isTrusted }: EngineStart): Io {
  const find = (folder: string): ReturnType<Io['configs']['find']> =>
    isTrusted ? io.configs.findPlain(folder) : Promise.resolve(null);
  return { ...io, cwd, configs: { ...io.configs, find } };
}
