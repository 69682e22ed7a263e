import type { ListedFact } from '#analysis/facts/document.js';
import { readStatedFacts } from '#analysis/facts/fact-reader.js';
import { ALL_FACTS, collectFacts, type ConversationFacts } from '#analysis/facts/facts.js';
import { readMessageText, toOneLine } from '#analysis/facts/text.js';
import { sumBy } from '#base/lists.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { countMessageTokens } from '#context/size/tokens.js';
import type { Head } from '#session/heads/head.js';
import { labelsOf, type Session } from '#session/session.js';
import { hasLoneTransform } from '../plan/stock-view.js';
import { buildFormRule, buildPacketInForm, findPruneBoundary, type PruneForm } from './forms.js';
import type { PruneRules } from './guard.js';
import { buildHistory, type History, type HistoryItem } from './history.js';
import { findMentionedUses, indexMentions } from './mentions.js';
import { describeLocation } from './message-notes.js';
import { formatPacket, type Whereabouts } from './packet.js';
import type { Policy } from './policy.js';
import { buildProtection } from './protection.js';
import { type ConfiguredStrategy, prune, type PruneResult } from './prune.js';
import type { Zone } from './zones.js';

/** A prune that is not prepared yet. */
export interface PruneRequest {
  /** From the root to the entry at which the context is pruned. */
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

/** A prepared prune of a context. */
export interface PreparedHistory {
  readonly before: History;
  readonly pruned: PruneResult;
  /** The text of the packet that replaces dropped turns and summaries; null if none is needed. */
  readonly packet: string | null;
  /** Estimated tokens by which the context becomes smaller, packet included; 0 or less: the prune is not worth it. */
  readonly saved: number;
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

export interface HistoryRequest {
  readonly strategies: readonly ConfiguredStrategy[];
  readonly rules: PruneRules;
  /** The most that a packet may take. */
  readonly packetTokens: number;
  packetAs(text: string): LlmMessage;
  /** The facts of the conversation, all of them; only computed where a packet is needed. */
  facts(): ConversationFacts;
}

/** Like `preparePrune`, for messages that are in no session. */
export function prepareHistory(before: History, request: HistoryRequest): PreparedHistory {
  const { strategies, rules, packetTokens, packetAs, facts } = request;
  const pruned = prune(before, strategies, rules);
  // A new packet replaces those that are there.
  const replaced = sumBy(pruned.history.items, ({ kind, tokens }) => (kind === 'packet' ? tokens : 0));
  const dropped = sumBy(pruned.decisions, ({ message, tokens }) => (message === null ? tokens.before : 0));
  const maxTokens = Math.min(packetTokens, replaced + Math.floor(dropped * MOST_OF_DROPPED));
  const whereabouts = buildWhereabouts(pruned);
  const packet = needsPacket(pruned)
    ? formatPacket(facts(), { maxTokens, whereabouts, files: listReleasedFiles(before, pruned) })
    : null;
  const added = packet === null ? 0 : countMessageTokens(packetAs(packet)) - replaced;
  return { before, pruned, packet, saved: before.tokens - pruned.history.tokens - added };
}

/** The files that the newest turn mentions and whose last result a prune dropped, with the place of that result. */
function listReleasedFiles(before: History, { decisions }: PruneResult): readonly string[] {
  const dropped = new Set(decisions.flatMap(({ item, message }) => (message === null ? [item.place] : [])));
  return [...findMentionedUses(before, indexMentions(before))].flatMap(([{ resultAt }, path]) => {
    const item = before.items[resultAt];
    return item && dropped.has(resultAt) ? [`${path} (last result: ${describeLocation(item)})`] : [];
  });
}

/** The maximum size of a packet beside that of the packet that it replaces, as a share of the dropped tokens. */
const MOST_OF_DROPPED = 0.5;

/** Whether dropped messages are more than tool output, so that a packet must replace them. */
function needsPacket({ decisions }: PruneResult): boolean {
  return decisions.some(({ item, message }) => message === null && SAID.has(item.kind));
}

const SAID: ReadonlySet<string> = new Set([
  'user',
  'bash',
  'custom',
  'assistant',
  'compaction-summary',
  'branch-summary',
]);

type Place = Pick<ListedFact['source'], 'entryId' | 'line'>;

/** Locates each fact of a session after a prune: in the context or out of it. */
function buildWhereabouts({ history, decisions }: PruneResult): (fact: ListedFact) => Whereabouts {
  const stays = buildFactTest(history);
  const dropped = new Set(decisions.flatMap(({ item, message }) => (message === null ? [placeName(item.from)] : [])));
  return (fact) => {
    if (stays(fact)) return 'stays';
    return dropped.has(placeName(fact.source)) ? 'leaves' : 'gone';
  };
}

/** Tests whether a message of a context states a fact. A packet does not count, because the next one replaces it. */
export function buildFactTest({ items }: Pick<History, 'items'>): (fact: ListedFact) => boolean {
  const others = items.filter(({ kind }) => kind !== 'packet');
  const whole = new Set(others.filter(isWhole).map(({ from }) => placeName(from)));
  const changed = others.filter((item) => !isWhole(item)).map(({ message }) => toOneLine(readMessageText(message)));
  return ({ text, source }) => whole.has(placeName(source)) || changed.some((words) => words.includes(text));
}

function isWhole({ message, original, isFrozen }: HistoryItem): boolean {
  return message === original && !isFrozen;
}

function placeName({ entryId, line }: Place): string {
  return entryId ?? `line ${line}`;
}
