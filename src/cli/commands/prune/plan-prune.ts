import { measureBreakEven } from '#analysis/cache/break-even.js';
import { findLastRequest } from '#analysis/cache/last-request.js';
import { sumBy } from '#base/lists.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { adaptToCopy } from '#change/copy/copy-draft.js';
import { buildDraft, type Draft } from '#change/plan/draft.js';
import { type PreparedPrune, preparePrune } from '#change/prune/prepare.js';
import { buildPruneEntries } from '#change/prune/prune-entries.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Head } from '#session/heads/head.js';
import type { SessionToPlan } from '../session-to-plan.js';
import { findDueRequest } from './due-request.js';
import type { PruneInput } from './flags.js';
import { type ActivePolicy, type ChosenStrategies, requireEnvelopeWindow } from './policy.js';
import { describeActions } from './view.js';

/** The context to prune. */
export interface ContextToPrune {
  readonly session: SessionToPlan;
  /** The entry at which the context is pruned; null for an empty path. */
  readonly at: Head | null;
  readonly path: readonly Head[];
  readonly envelope: ContextEnvelope;
  readonly active: ActivePolicy;
}

export interface PlannedPrune {
  readonly prune: PreparedPrune;
  readonly draft: Draft;
}

interface NothingToPrune {
  /** The reason, in words. */
  readonly why: string;
}

/** Plans a prune, unless it is not due, saves nothing, or does not pay off soon enough. */
export function planPrune(
  { io, flags }: PruneInput,
  context: ContextToPrune,
  chosen: ChosenStrategies,
): PlannedPrune | NothingToPrune {
  if (flags['if-needed']) {
    const { session, path, envelope, active } = context;
    const { tokens: limit } = requireEnvelopeWindow(envelope);
    const { request, why } = findDueRequest(session, path, { ...active, limit });
    if (request === null) return { why };
  }
  if (chosen.strategies.length === 0)
    return { why: 'the policy does nothing there; --strategy distill prunes in any zone' };
  const prune = prepareChosen(context, chosen, flags.as);
  if (prune.saved <= 0) return { why: describeNothing(prune) };
  const draft = draftPrune(io, context, prune);
  const why = findWorthComplaint(draft, { path: context.path, now: io.now(), most: flags['only-if-worth'] });
  return why === null ? { prune, draft } : { why };
}

/** Prepares a prune by the chosen strategies. `form`: the kind of entries that the command line names. */
export function prepareChosen(
  { session, path, envelope }: ContextToPrune,
  { policy, zone, strategies }: ChosenStrategies,
  form: PruneInput['flags']['as'],
): PreparedPrune {
  // A copy holds what stock Pi understands.
  return preparePrune(session, { path, envelope, policy, zone, strategies, form: session.copier ? 'stock' : form });
}

export function draftPrune(io: PruneInput['io'], { session, at }: ContextToPrune, prune: PreparedPrune): Draft {
  const actions = prune.pruned.decisions.map(({ message }) => (message === null ? 'drop' : 'shorten'));
  const draft = buildDraft(session, buildPruneEntries(session, prune, describeActions(actions), io), at);
  return session.copier ? adaptToCopy(draft) : draft;
}

function describeNothing({ before, pruned: { decisions, refusals } }: PreparedPrune): string {
  if (decisions.length > 0) return 'the replacements would take more tokens than they save';
  if (refusals.length > 0) return `all that could go has to stay: ${refusals[0]?.because ?? ''}`;
  const newest = before.items.filter((item) => item.turn === before.turns - 1);
  const ofNewest = sumBy(newest, ({ tokens }) => tokens);
  const ofAll = sumBy(before.items, ({ tokens }) => tokens);
  if (before.turns === 0 || ofNewest <= ofAll / 2) return 'the strategies found nothing that could go';
  return `the newest turn stays whole, and is ${formatPercent(ofNewest, ofAll)} of the messages; ctx compact can shorten it`;
}

/** The reason why a change does not pay off soon enough; null if it does, or without `--only-if-worth`. */
function findWorthComplaint(
  { session, before, after }: Draft,
  { path, now, most }: { readonly path: readonly Head[]; readonly now: number; readonly most: number | undefined },
): string | null {
  if (most === undefined) return null;
  const { requests } = measureBreakEven({ before, after, last: findLastRequest(session, path), now });
  if (requests !== null && requests <= most) return null;
  const when = requests === null ? 'never' : `only after ${pluralize(requests, 'request')}`;
  return `it would pay for itself ${when}, and --only-if-worth says ${formatCount(most)}`;
}
