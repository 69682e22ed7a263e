import type { LlmMessage } from '#context/replay/content.js';
import { countMessageTokens } from '#context/size/tokens.js';
import type { ProposedChange, Strategy } from './define.js';
import { buildGuard, type PruneRules } from './guard.js';
import { type History, type HistoryItem, rebuildHistory, sumItemTokens } from './history.js';

/** A strategy with its options as its schema has read them. */
export interface ConfiguredStrategy {
  readonly strategy: Strategy;
  readonly options: unknown;
}

/** The decision on one message, with its reason. */
export interface PruneDecision {
  readonly strategy: string;
  /** The message before this step; its `place` is that in the context before anything was pruned. */
  readonly item: HistoryItem;
  /** The message that replaces it; null: none. */
  readonly message: LlmMessage | null;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly reason: string;
  /** The full text, for a side file. */
  readonly spill: ProposedChange['spill'];
}

/** A proposal of a strategy that was refused. */
export interface PruneRefusal {
  readonly strategy: string;
  readonly items: readonly HistoryItem[];
  readonly reason: string;
  readonly because: string;
}

export interface PruneResult {
  /** The messages that stay, each as it stays. */
  readonly history: History;
  readonly decisions: readonly PruneDecision[];
  readonly refusals: readonly PruneRefusal[];
}

/**
 * Lets strategies shrink a history, one after another. Each sees the history that the ones before it left. Never changes
 * the newest turn or what the rules protect, never separates a call from its result, and never makes a message longer.
 */
export function prune(history: History, strategies: readonly ConfiguredStrategy[], rules: PruneRules): PruneResult {
  const decisions: PruneDecision[] = [];
  const refusals: PruneRefusal[] = [];
  let current = history;
  for (const configured of strategies) {
    const done = runStrategy(current, configured, rules);
    for (const decision of done.decisions) decisions.push(decision);
    for (const refusal of done.refusals) refusals.push(refusal);
    current = done.history;
  }
  return { history: current, decisions, refusals };
}

function runStrategy(history: History, { strategy, options }: ConfiguredStrategy, rules: PruneRules): PruneResult {
  const findReason = buildGuard(history, rules);
  const decisions: PruneDecision[] = [];
  const refusals: PruneRefusal[] = [];
  const taken = new Map<number, ProposedChange>();
  for (const proposal of strategy.propose(history, options, (at) => taken.has(at))) {
    const { changes, reason } = proposal;
    const items = changes.flatMap(({ at }) => history.items[at] ?? []);
    if (changes.length === 0 || changes.some(({ at }) => taken.has(at))) continue;
    const because = findReason(proposal);
    if (because !== null) {
      refusals.push({ strategy: strategy.name, items, reason, because });
      continue;
    }
    for (const [nth, change] of changes.entries()) {
      const item = items[nth];
      if (!item) continue;
      taken.set(change.at, change);
      const { message, spill } = change;
      const after = message === null ? 0 : countMessageTokens(message);
      const tokens = { before: item.tokens, after };
      decisions.push({ strategy: strategy.name, item, message, tokens, reason, spill });
    }
  }
  return { history: taken.size === 0 ? history : applyChanges(history, taken), decisions, refusals };
}

function applyChanges(history: History, taken: ReadonlyMap<number, ProposedChange>): History {
  const items = history.items.flatMap((item) => {
    const change = taken.get(item.at);
    if (!change) return [item];
    const { message } = change;
    return message === null ? [] : [{ ...item, message, tokens: countMessageTokens(message) }];
  });
  return rebuildHistory(items, {
    ...history,
    tokens: history.tokens - sumItemTokens(history.items) + sumItemTokens(items),
  });
}
