import { CtxError } from '#base/errors.js';
import { findAssumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { toWindow } from '#context/size/window.js';
import { labelsOf, type Session } from '#session/session.js';
import { resolvePath } from '#session/tree/revision.js';
import { buildDraft, type Draft } from '../plan/draft.js';
import { type PlanOptions, toEntryStamps } from '../plan/entry-stamps.js';
import { buildPlannedChange, type PlannedChange } from '../plan/plan-change.js';
import { hasLoneTransform } from '../plan/stock-view.js';
import { buildPruneDocument, type PruneDocument } from './document.js';
import type { PruneForm } from './forms.js';
import { defaultPolicy, listZoneStrategies, type Policy } from './policy.js';
import { type PreparedPrune, preparePrune, type PruneRequest } from './prepare.js';
import { buildProtection } from './protection.js';
import { buildPruneEntries, type Prune } from './prune-entries.js';
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
  const { policy = defaultPolicy(), limit, revision } = options;
  const { at, path } = resolvePath(session, revision);
  const envelope = buildEnvelope(session, at, { limit, assumedWindow: findAssumedWindow });
  const zone =
    options.zone ?? zoneOf(envelope.meta.size.tokens, requireLimit(toWindow(envelope.meta)), policy.thresholds);
  const { form } = options;
  const prune = preparePolicyPrune(session, {
    path,
    envelope,
    policy,
    zone,
    strategies: listZoneStrategies(policy, zone),
    form,
  });
  if (prune.saved <= 0) return null;
  const entries = buildPruneEntries(session, { ...prune, summary: `zone ${zone}` }, toEntryStamps(options));
  const draft: Draft = buildDraft(session, entries, at);
  const before = draft.before.meta.size;
  const after = draft.after.meta.size;
  return {
    ...buildPlannedChange(draft, 'prune'),
    prune: buildPruneDocument(prune, { ...prune.details, tokensSaved: before.tokens - after.tokens }),
  };
}

interface PolicyPrune extends Pick<PruneRequest, 'path' | 'envelope' | 'strategies'> {
  readonly policy: Policy;
  /** null if strategies were named and the limit is unknown. */
  readonly zone: Zone | null;
  /** The entries to write (default: a transform where the path has one, else stock). */
  readonly form: PruneForm | undefined;
}

/** A prune by a policy, with the zone and the names of its strategies. */
interface PreparedPolicyPrune extends PreparedPrune, Pick<Prune, 'path'> {
  readonly details: Pick<PruneDocument, 'zone' | 'strategies'>;
}

/** Prepares what the strategies prune under the protection of a policy. A prune that saves nothing is not to be written. */
export function preparePolicyPrune(
  session: Session,
  { policy, zone, path, envelope, strategies, ...wish }: PolicyPrune,
): PreparedPolicyPrune {
  const form = wish.form ?? (hasLoneTransform(session, path) ? 'context_transform' : 'stock');
  const protects = buildProtection(policy.protect, labelsOf(session));
  const { packetTokens } = policy;
  const prepared = preparePrune(session, { path, envelope, strategies, protects, form, packetTokens });
  return { ...prepared, path, details: { zone, strategies: strategies.map(({ strategy }) => strategy.name) } };
}

function requireLimit({ tokens, model }: ReturnType<typeof toWindow>): number {
  if (tokens !== null) return tokens;
  throw new CtxError('usage', `the context window of ${model ?? 'the model'} is unknown`, { hint: 'pass limit' });
}
