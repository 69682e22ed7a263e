import { CtxError } from '#base/errors.js';
import { findAssumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { toWindow } from '#context/size/window.js';
import { resolvePath } from '#session/tree/revision.js';
import { buildDraft, countSavedTokens } from '../plan/draft.js';
import { type PlanOptions, toEntryStamps } from '../plan/entry-stamps.js';
import { buildPlannedChange, type PlannedChange } from '../plan/plan-change.js';
import { buildPruneDocument, type PruneDocument } from './document.js';
import type { PruneForm } from './forms.js';
import { defaultPolicy, listZoneStrategies, type Policy } from './policy.js';
import { preparePrune } from './prepare.js';
import { buildPruneEntries } from './prune-entries.js';
import { type Zone, zoneOf } from './zones.js';

/** The options of `planPrune`. */
export interface PrunePlanOptions extends PlanOptions {
  readonly policy?: Policy;
  /** The zone whose strategies to use (default: the zone of the context). */
  readonly zone?: Zone;
  /** The context window in tokens (default: from a list of models). */
  readonly limit?: number;
  /** The entry to prune at, on a new branch (default: the leaf). */
  readonly revision?: string;
  /** The entries to write (default: a transform where the session has one, else stock). */
  readonly form?: PruneForm;
}

/** A plan that prunes, and every decision that it makes. */
export interface PlannedPrune extends PlannedChange {
  readonly prune: PruneDocument;
}

/**
 * Plans a prune by a policy, as `ctx prune` does. null: nothing can go, or the context would not get smaller. Throws a
 * CtxError: usage where the context window is unknown and no zone is given, refused for a session that nothing can be
 * appended to.
 */
export function planPrune(session: OpenSession, options: PrunePlanOptions = {}): PlannedPrune | null {
  const { policy = defaultPolicy(), limit, revision, form } = options;
  const { at, path } = resolvePath(session, revision);
  const envelope = buildEnvelope(session, at, { limit, assumedWindow: findAssumedWindow });
  const zone = options.zone ?? findZone(envelope, policy);
  const strategies = listZoneStrategies(policy, zone);
  const prune = preparePrune(session, { path, envelope, policy, zone, strategies, form });
  if (prune.saved <= 0) return null;
  const entries = buildPruneEntries(session, prune, `zone ${zone}`, toEntryStamps(options));
  const draft = buildDraft(session, entries, at);
  return { ...buildPlannedChange(draft, 'prune'), prune: buildPruneDocument(prune, countSavedTokens(draft)) };
}

function findZone({ meta }: ContextEnvelope, { thresholds }: Policy): Zone {
  const { tokens, model } = toWindow(meta);
  if (tokens !== null) return zoneOf(meta.size.tokens, tokens, thresholds);
  throw new CtxError('usage', `the context window of ${model ?? 'the model'} is unknown`, { hint: 'pass limit' });
}
