import { CtxError } from '#base/errors.js';
import { type Draft, draftOf } from '#change/plan/draft.js';
import { freshnessOf, type PlannedChange, type PlanOptions, plannedOf } from '#change/plan/planned.js';
import { readsTransforms } from '#change/plan/reader.js';
import { assumedWindow } from '#context/models/registry.js';
import { type OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build.js';
import { windowIn } from '#context/size/window.js';
import { labelsOf } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { type PruneDocument, pruneDocumentOf } from './document.js';
import { pruneEntries } from './entries.js';
import type { PruneForm } from './forms.js';
import { protectionBy } from './guard.js';
import { type Zone, zoneOf } from './policy-schema.js';
import { defaultPolicy, type Policy, stepsFor } from './policy.js';
import { preparePrune } from './prepare.js';

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
  const { policy = defaultPolicy(), limit, revision = 'HEAD' } = options;
  const at = resolveRevision(session, revision);
  const path = at ? pathTo(session.tree, at) : [];
  const envelope = buildEnvelope(session, at, session.readPatch, { limit, assumedWindow });
  const zone =
    options.zone ?? zoneOf(envelope.meta.size.tokens, knownLimit(windowIn(envelope.meta)), policy.thresholds);
  const steps = stepsFor(policy, zone);
  const form = options.form ?? (readsTransforms(session, path) ? 'context_transform' : 'stock');
  const protects = protectionBy(policy.protect, labelsOf(session));
  const { packetTokens } = policy;
  const prepared = preparePrune(session, { path, envelope, steps, protects, form, packetTokens });
  if (prepared.saved <= 0) return null;
  const strategies = steps.map(({ strategy }) => strategy.name);
  const prune = pruneDocumentOf(prepared, { zone, strategies });
  const written = { ...prepared, path, summary: `zone ${zone}`, details: { zone, strategies } };
  const draft: Draft = draftOf(session, pruneEntries(session, written, freshnessOf(options)), at);
  return { ...plannedOf(draft, 'prune'), prune };
}

function knownLimit({ tokens, model }: ReturnType<typeof windowIn>): number {
  if (tokens !== null) return tokens;
  throw new CtxError('usage', `the context window of ${model ?? 'the model'} is unknown`, { hint: 'pass limit' });
}
