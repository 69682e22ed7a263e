import { readStatedFacts } from '#analysis/facts/fact-reader.js';
import { ALL_FACTS, collectFacts } from '#analysis/facts/facts.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Head } from '#session/heads/head.js';
import { labelsOf, type Session } from '#session/session.js';
import { hasLoneTransform } from '../plan/stock-view.js';
import { buildFormRule, buildPacketInForm, type PruneForm } from './forms.js';
import { buildHistory } from './history.js';
import type { Policy } from './policy.js';
import { type PreparedHistory, prepareHistory } from './prepare-history.js';
import { buildProtection } from './protection.js';
import { findPruneBoundary } from './prune-boundary.js';
import type { ConfiguredStrategy } from './prune.js';
import type { Zone } from './zones.js';

/** A prune that is not prepared yet. */
export interface PruneRequest {
  /** The entries from the root to the one at which the context is pruned. */
  readonly path: readonly Head[];
  /** The context at that entry. */
  readonly envelope: ContextEnvelope;
  /** The policy that protects messages and limits the packet. */
  readonly policy: Pick<Policy, 'protect' | 'packetTokens'>;
  /** The zone whose strategies run; null if strategies were named and the limit is unknown. */
  readonly zone: Zone | null;
  readonly strategies: readonly ConfiguredStrategy[];
  /** The entries to write (default: a transform where the path has one, else stock). */
  readonly form?: PruneForm | undefined;
}

/** A prepared prune of the context of a session, from which its entries and its document are built. */
export interface PreparedPrune extends PreparedHistory {
  readonly path: readonly Head[];
  readonly zone: Zone | null;
  /** The names of the strategies that ran, in order. */
  readonly strategies: readonly string[];
  /** The requested form; `context_edit` instead of `stock` if a packet has no boundary to retain from. */
  readonly form: PruneForm;
}

/**
 * Decides what a prune drops and shortens. The same context always gives the same decisions. A prune that saves nothing
 * is not to be written.
 */
export function preparePrune(session: Session, request: PruneRequest): PreparedPrune {
  const { path, envelope, policy, zone, strategies } = request;
  const form = request.form ?? (hasLoneTransform(session, path) ? 'context_transform' : 'stock');
  const history = buildHistory(session, envelope, path.at(-1) ?? null);
  const protects = buildProtection(policy.protect, labelsOf(session));
  const prepareAs = (as: PruneForm, releasesFiles = false): PreparedPrune => {
    const prepared = prepareHistory(history, {
      strategies,
      rules: { protects, forbids: buildFormRule(as, session, path), releasesFiles },
      packetTokens: policy.packetTokens,
      packetAs: (text) => buildPacketInForm(as, text, 0),
      facts: () => collectFacts(readStatedFacts(session, path), ALL_FACTS),
    });
    return { ...prepared, path, zone, strategies: strategies.map(({ strategy }) => strategy.name), form: as };
  };

  const prepared = prepareAs(form);
  if (form !== 'stock' || prepared.packet === null) return prepared;

  const edits = countEdits(session, prepared);
  if (edits === null) return prepareAs('context_edit');
  if (edits <= MOST_EDITS) return prepared;
  const released = prepareAs(form, true);
  const editsOfReleased = countEdits(session, released);
  return editsOfReleased !== null && editsOfReleased <= MOST_EDITS ? released : prepared;
}

/** A prune with more edits also drops files that the newest turn mentions. */
const MOST_EDITS = 100;

/**
 * The number of messages that a prune with a packet has to edit, since its compaction does not drop them by itself. null:
 * no compaction can express it.
 */
function countEdits(session: Session, { path, pruned }: PreparedPrune): number | null {
  const boundary = findPruneBoundary(session, path, pruned);
  if (boundary === null) return null;
  const edited = pruned.decisions.filter(({ item }) => !boundary.isDropped(item));
  return new Set(edited.map(({ item }) => item.place)).size;
}
