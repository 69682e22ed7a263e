import type { ListedFact } from '#analysis/facts/document.js';
import type { ConversationFacts } from '#analysis/facts/facts.js';
import { readMessageText, toOneLine } from '#analysis/facts/text.js';
import { sumBy } from '#base/lists.js';
import type { LlmMessage } from '#context/replay/content.js';
import { countMessageTokens } from '#context/size/tokens.js';
import type { PruneRules } from './guard.js';
import type { History, HistoryItem } from './history.js';
import { findMentionedUses, indexMentions } from './mentions.js';
import { describeLocation } from './message-notes.js';
import { formatPacket, type Whereabouts } from './packet.js';
import { type ConfiguredStrategy, prune, type PruneResult } from './prune.js';

/** A prepared prune of a context. */
export interface PreparedHistory {
  readonly before: History;
  readonly pruned: PruneResult;
  /** The text of the packet that replaces dropped turns and summaries; null if none is needed. */
  readonly packet: string | null;
  /** Estimated tokens by which the context becomes smaller, packet included; 0 or less: the prune is not worth it. */
  readonly saved: number;
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

/** Decides what a prune of some messages drops and shortens, and writes the packet for what it drops. */
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
  return decisions.some(({ item, message }) => message === null && KINDS_IN_PACKETS.has(item.kind));
}

/** The kinds of messages whose facts a packet repeats. */
const KINDS_IN_PACKETS: ReadonlySet<string> = new Set([
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
  const dropped = new Set(decisions.flatMap(({ item, message }) => (message === null ? [namePlace(item.from)] : [])));
  return (fact) => {
    if (stays(fact)) return 'stays';
    return dropped.has(namePlace(fact.source)) ? 'leaves' : 'gone';
  };
}

/** Tests whether a message of a context states a fact. A packet does not count, because the next one replaces it. */
export function buildFactTest({ items }: Pick<History, 'items'>): (fact: ListedFact) => boolean {
  const others = items.filter(({ kind }) => kind !== 'packet');
  const whole = new Set(others.filter(isWhole).map(({ from }) => namePlace(from)));
  const changed = others.filter((item) => !isWhole(item)).map(({ message }) => toOneLine(readMessageText(message)));
  return ({ text, source }) => whole.has(namePlace(source)) || changed.some((words) => words.includes(text));
}

function isWhole({ message, original, isFrozen }: HistoryItem): boolean {
  return message === original && !isFrozen;
}

function namePlace({ entryId, line }: Place): string {
  return entryId ?? `line ${line}`;
}
