import { compactionSettings } from '#change/compact/settings.js';
import { defaultPolicy } from '#change/prune/policy.js';
import { assumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { settingsOf } from '#context/replay/settings.js';
import { windowAt } from '#context/size/size.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import type { DriveOptions } from './driven.js';

/** Host options with an entry instead of a path. */
export type EngineOptions = Partial<Omit<DriveOptions, 'path'>> & {
  /** The end of the run (default: the leaf). */
  readonly revision?: string;
};

/**
 * The options of a host for a session: by default the context window of its model as the budget, Pi's compaction settings
 * and the default policy. Throws a CtxError (usage) for an unknown revision.
 */
export function engineOptions(session: OpenSession, { revision = 'HEAD', ...given }: EngineOptions = {}): DriveOptions {
  const at = resolveRevision(session, revision);
  const path = at ? pathTo(session.tree, at) : [];
  const { model } = settingsOf(session, path);
  const name = model?.modelId ?? null;
  return {
    path,
    tokenBudget: windowAt(session, path, { assumedWindow }).tokens,
    settings: compactionSettings([], name),
    policy: defaultPolicy(),
    ...given,
  };
}
