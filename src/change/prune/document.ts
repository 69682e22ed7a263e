import * as z from 'zod/mini';
import { sumBy } from '#base/lists.js';
import { splitInProportion } from '#base/proportion.js';
import { jsonDocument } from '#base/schema.js';
import type { HistoryItem } from './history.js';
import { buildMentionFinder } from './mentions.js';
import type { PreparedPrune } from './prepare.js';
import type { PruneDecision, PruneRefusal } from './prune.js';
import { ZONES } from './zones.js';

const aboutMessage = {
  /** The name of the strategy. */
  strategy: z.string(),
  /** The entry of the message; null if that has no id. */
  entryId: z.nullable(z.string()),
  /** The kind of the message: `user`, `toolResult`, `compaction-summary`, … */
  kind: z.string(),
  /** The age in turns; null for a message of no turn. */
  turnsAgo: z.nullable(z.int()),
  /** The reason for the proposal, in words. */
  reason: z.string(),
};

/** The decisions of a prune, message by message. All tokens are estimated. */
export const pruneDocument = z.object({
  /** The zone of the context; null if strategies were named and the limit is unknown. */
  zone: z.nullable(z.enum(ZONES)),
  /** The strategies that ran, in order. */
  strategies: z.array(z.string()),
  /** One for each message that is dropped or shortened. */
  decisions: z.array(
    z.object({
      ...aboutMessage,
      /** Whether the message leaves the context or becomes shorter. */
      action: z.enum(['drop', 'shorten']),
      /** Estimated tokens of the message before and after. */
      tokens: z.object({ before: z.int(), after: z.int() }),
      /** The tokens, as the provider counts them, by which this message makes the context smaller. */
      tokensSaved: z.int(),
      /** A later message that stays and mentions the file of this one. */
      mentionedBy: z.nullable(z.string()),
    }),
  ),
  /** A proposal of a strategy that was refused. */
  refusals: z.array(z.object({ ...aboutMessage, because: z.string() })),
  /** The text that replaces the dropped messages; null if none is needed. */
  packet: z.nullable(z.string()),
  /** Estimated tokens saved, minus those of the packet: four characters each, as those of the decisions. */
  saved: z.int(),
  /** The tokens of the provider by which the context becomes smaller: those of the decisions, minus `packetTokens`. */
  tokensSaved: z.int(),
  /** The tokens of the packet in that unit, beyond those of the packet that it replaces. */
  packetTokens: z.int(),
});

/** The output of `ctx prune` where there is nothing to do. */
export const pruneCheck = jsonDocument('ctx/prune-check', {
  /** The session file. */
  file: z.string(),
  /** Always false: nothing was pruned. */
  pruned: z.literal(false),
  /** The reason, in words. */
  why: z.string(),
  /** The zone of the context; null if the limit is unknown. */
  zone: z.nullable(z.enum(ZONES)),
  /** The size of the context: the provider's count, or an estimate. */
  tokens: z.int(),
  /** The context window in tokens; null if it is unknown. */
  limit: z.nullable(z.int()),
  /**
   * The tokens that the strategies of the policy would save, and the command that shows it. null: they save none, or
   * the user named no strategies.
   */
  next: z.nullable(z.object({ tokensSaved: z.int(), command: z.string() })),
});

export type PruneCheck = z.infer<typeof pruneCheck>;
export type PruneDocument = z.infer<typeof pruneDocument>;

/** The document of a prune. `tokensSaved`: see `countSavedTokens`. */
export function buildPruneDocument(prune: PreparedPrune, tokensSaved: number): PruneDocument {
  const { zone, strategies, before, pruned, packet, saved } = prune;
  const freed = pruned.decisions.map(({ tokens }) => tokens.before - tokens.after);
  const packetTokens = Math.round((saved === 0 ? 0 : tokensSaved / saved) * (sumBy(freed, (tokens) => tokens) - saved));
  const ofDecisions = splitInProportion(freed, tokensSaved + packetTokens);
  const aboutItem = (item: HistoryItem): Pick<PruneDocument['decisions'][number], 'entryId' | 'kind' | 'turnsAgo'> => ({
    entryId: item.from.entryId,
    kind: item.kind,
    turnsAgo: item.turn < 0 ? null : before.turns - 1 - (before.items[item.place]?.turn ?? 0),
  });
  const findMention = buildMentionFinder(before, pruned.history);
  const decisionOf = ({ strategy, item, message, tokens, reason }: PruneDecision, at: number) => ({
    strategy,
    ...aboutItem(item),
    reason,
    action: message === null ? ('drop' as const) : ('shorten' as const),
    tokens: { ...tokens },
    tokensSaved: ofDecisions[at] ?? 0,
    mentionedBy: findMention(item)?.from.entryId ?? null,
  });
  const refusalOf = ({ strategy, items, reason, because }: PruneRefusal) =>
    items.slice(0, 1).map((item) => ({ strategy, ...aboutItem(item), reason, because }));
  return {
    zone,
    strategies: [...strategies],
    decisions: pruned.decisions.map(decisionOf),
    refusals: pruned.refusals.flatMap(refusalOf),
    packet,
    saved,
    tokensSaved,
    packetTokens,
  };
}
