import type { LlmMessage } from '#context/replay/content.js';
import { toSummaryMessage } from '#context/replay/convert.js';
import { findCopier } from '#session/agents/index.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { isOfCompaction } from '#session/tree/compaction.js';
import type { PruneRules } from './guard.js';
import { type History, type HistoryItem, SUBSTITUTE_KINDS } from './history.js';
import { toPacketMessage } from './packet.js';
import { isSummaryInForce } from './prune-boundary.js';

/**
 * The entries of a prune: `stock` is edits, and a compaction that retains from a boundary where a packet replaces what
 * goes; `context_edit` is edits with the packet as a message at the end; `context_transform` is one transform.
 */
export const PRUNE_FORMS = ['stock', 'context_edit', 'context_transform'] as const;
export type PruneForm = (typeof PRUNE_FORMS)[number];

/** The rule that refuses changes which a form has no entry for. */
export function buildFormRule(form: PruneForm, session: Session, path: readonly Head[]): PruneRules['forbids'] {
  if (form === 'stock') return buildStockRule(session, path);
  return form === 'context_edit' ? buildEditRule(session) : () => null;
}

/** The message of a packet in a form. `timestamp` is in milliseconds since 1970. */
export function buildPacketInForm(form: PruneForm, text: string, timestamp: number): LlmMessage {
  return form === 'stock' ? toSummaryMessage(text, timestamp) : toPacketMessage(text, timestamp);
}

/** The rule that refuses changes which stock Pi has no edit for. */
function buildEditRule(session: Session): PruneRules['forbids'] {
  return (item, { message }, history) => {
    const obstacle = findEntryObstacle(session, item);
    if (obstacle !== null) return obstacle;
    if (holdsPrompt(session, item)) return 'the compaction also contains the prompt, which an edit would remove';
    if (message === null && wouldComeFirst(history, item))
      return 'the packet is at the end, and a request cannot begin with an answer';
    return message === null ? null : findShortObstacle(session, item);
  };
}

/** The rule for the form `stock`, where a compaction can replace the summary in force. */
function buildStockRule(session: Session, path: readonly Head[]): PruneRules['forbids'] {
  const asEdit = buildEditRule(session);
  return (item, change, history) => {
    if (item.kind === 'packet') return asEdit(item, change, history);
    const isDropped = change.message === null;
    if (isDropped && isSummaryInForce(session, path, item)) return null;
    return findEntryObstacle(session, item) ?? (isDropped ? null : findShortObstacle(session, item));
  };
}

/** Whether an edit that omits a message would omit the prompt too. */
export function holdsPrompt(session: Session, { from }: HistoryItem): boolean {
  const head = from.entryId === null ? null : session.tree.heads.find(from.entryId);
  if (head?.type !== 'compaction') return false;
  const entry = session.entry(head);
  return entry.type === 'compaction' && Boolean(entry.systemMessage);
}

/**
 * The reason why no entry of stock Pi, nor a copy of another agent's session, can change a message; null if one can.
 */
function findEntryObstacle(session: Session, { from }: HistoryItem): string | null {
  const head = from.entryId === null ? null : session.tree.heads.find(from.entryId);
  if (!head) return 'the entry has no id';
  if (from.origin !== 'transform' && head.type !== 'context_transform') return null;
  const { agent } = session;
  if (!agent) return 'a transform created the message, and stock Pi ignores transforms';
  return isOfCompaction(session, head)
    ? `a compaction of ${agent.title} wrote the message`
    : `${agent.title} put the message in by itself`;
}

/** The reason why a message can go only as a whole; null if it can become shorter. */
function findShortObstacle(session: Session, { kind, message: { role, toolName } }: HistoryItem): string | null {
  if (NOT_EDITABLE.has(kind)) return ONLY_OMITTED;
  return role === 'toolResult' ? (findCopier(session)?.client.wholeResults.get(String(toolName)) ?? null) : null;
}

/** Whether an answer would be the first message if this summary and all others at the beginning were dropped. */
function wouldComeFirst({ items }: History, { kind, at }: HistoryItem): boolean {
  const first = SUBSTITUTE_KINDS.has(kind) ? items.findIndex((item) => !SUBSTITUTE_KINDS.has(item.kind)) : -1;
  return at < first && items[first]?.message.role !== 'user';
}

const NOT_EDITABLE: ReadonlySet<string> = new Set(['bash', 'branch-summary', 'compaction-summary']);

const ONLY_OMITTED = 'Pi can only omit such a message';
