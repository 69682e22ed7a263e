import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { listObjects } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { once } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { countMessageTokens } from '#context/size/tokens.js';
import type { Proposal, ProposedChange } from './define.js';
import type { History, HistoryItem } from './history.js';
import { findMentionedUses, indexMentions } from './mentions.js';

/** Limits of a prune that hold for every strategy. */
export interface PruneRules {
  /** The reason why a message is protected; null if it is not. */
  protects(item: HistoryItem, uses: readonly ToolUse[]): string | null;
  /** The reason why a change of an item cannot be written; null if it can. */
  forbids(item: HistoryItem, change: ProposedChange, history: History): string | null;
  /** Old turns may go although the newest turn mentions their files: the packet names these. */
  readonly releasesFiles?: boolean;
}

/** Returns the reason for refusing a proposal, in a few words; null if it is allowed. */
export type Guard = (proposal: Proposal) => string | null;

export function buildGuard(history: History, rules: PruneRules): Guard {
  const { items, turns } = history;
  // Most messages that enter a context need no change, so nothing is read before the first proposal.
  const usesAt = once(() => groupUsesByPlace(history));
  const mentioned = once(() => (rules.releasesFiles ? new Map<number, string>() : findMentionedPlaces(history)));
  const whyNot = ({ at, message }: ProposedChange): string | null => {
    const item = items[at];
    if (!item) return 'message not found';
    if (item.turn === turns - 1 && item.kind !== 'packet') return 'in the newest turn';
    if (item.kind === 'packet' && message !== null) return 'only a new packet replaces a packet';
    if (item.isFrozen && message !== null) return 'already pruned; its bytes stay the same';
    const by = rules.protects(item, usesAt().get(at) ?? []) ?? mentioned().get(at);
    if (by !== undefined) return by;
    if (message !== null && countMessageTokens(message) >= item.tokens) return 'would not become smaller';
    return rules.forbids(item, { at, message }, history);
  };
  return ({ changes }) => {
    for (const change of changes) {
      const why = whyNot(change);
      if (why !== null) return why;
    }
    return separatesPair(changes, usesAt()) ? 'would separate a call from its result' : null;
  };
}

function groupUsesByPlace({ uses }: History): ReadonlyMap<number, readonly ToolUse[]> {
  const byPlace = new Map<number, ToolUse[]>();
  for (const use of uses) {
    for (const at of new Set([use.callAt, use.resultAt])) {
      addTo(byPlace, at, use);
    }
  }
  return byPlace;
}

/** The places of the results whose files the newest turn mentions, with the reason to keep them. */
function findMentionedPlaces(history: History): ReadonlyMap<number, string> {
  const places = new Map<number, string>();
  for (const [{ callAt, resultAt }, path] of findMentionedUses(history, indexMentions(history))) {
    for (const at of [callAt, resultAt]) places.set(at, `the newest turn mentions ${path}`);
  }
  return places;
}

function separatesPair(changes: readonly ProposedChange[], usesAt: ReadonlyMap<number, readonly ToolUse[]>): boolean {
  /** The ids of the calls that are left in changed messages, and those of changed results. */
  const callIds = new Map(changes.map(({ at, message }) => [at, readCallIds(message)]));
  const resultIds = new Map(changes.map(({ at, message }) => [at, message && message.toolCallId]));
  const uses = new Set(changes.flatMap(({ at }) => usesAt.get(at) ?? []));
  return [...uses].some(({ id, callAt, resultAt }) => {
    if (callAt < 0 || resultAt < 0) return false;
    const keepsCall = callIds.get(callAt)?.has(id) ?? true;
    const keepsResult = !resultIds.has(resultAt) || resultIds.get(resultAt) === id;
    return keepsCall !== keepsResult;
  });
}

function readCallIds(message: LlmMessage | null): ReadonlySet<unknown> {
  const blocks = message === null ? [] : listObjects(message.content);
  return new Set(blocks.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])));
}
