import { compactionSettings } from '#change/compact/settings.js';
import { defaultPolicy } from '#change/prune/policy.js';
import { findAssumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { findSettings } from '#context/replay/settings.js';
import { findWindow } from '#context/size/window.js';
import { resolvePath } from '#session/tree/revision.js';
import type { DriveOptions } from './drive-options.js';

/** Host options with an entry instead of a path. */
export type EngineOptions = Partial<Omit<DriveOptions, 'path'>> & {
  /** The end of the run (default: the leaf). */
  readonly revision?: string;
};

/**
 * The options of a host for a session: by default the context window of its model as the budget, Pi's compaction settings
 * and the default policy. Throws a CtxError (usage) for an unknown revision.
 */
export function engineOptions(session: OpenSession, { revision, ...given }: EngineOptions = {}): DriveOptions {
  const { path } = resolvePath(session, revision);
  const { model } = findSettings(session, path);
  const name = model?.modelId ?? null;
  return {
    path,
    tokenBudget: findWindow(session, path, { assumedWindow: findAssumedWindow }).tokens,
    settings: compactionSettings([], name),
    policy: defaultPolicy(),
    ...given,
  };
}
