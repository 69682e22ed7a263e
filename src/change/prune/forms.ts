import type { LlmMessage } from '#context/replay/content.js';
import { toSummaryMessage } from '#context/replay/convert.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { isDualWritten } from '../plan/stock-view.js';
import type { PruneRules } from './guard.js';
import type { History, HistoryItem } from './history.js';
import { toPacketMessage } from './packet.js';
import type { PruneResult } from './prune.js';

/**
 * The entries of a prune: `stock` is edits, and a compaction that retains from a boundary where a packet replaces what
 * goes; `context_edit` is edits with the packet as a message at the end; `context_transform` is one transform.
 */
export const PRUNE_FORMS = ['stock', 'context_edit', 'context_transform'] as const;
export type PruneForm = (typeof PRUNE_FORMS)[number];

/** The reason why a form has no entry for a change. */
export function buildFormRule(form: PruneForm, session: Session, path: readonly Head[]): PruneRules['forbids'] {
  if (form === 'stock') return buildStockRule(session, path);
  return form === 'context_edit' ? buildEditRule(session) : () => null;
}

/** The message that a packet is in a form. `timestamp` is in milliseconds since 1970. */
export function buildPacketInForm(form: PruneForm, text: string, timestamp: number): LlmMessage {
  return form === 'stock' ? toSummaryMessage(text, timestamp) : toPacketMessage(text, timestamp);
}

/** The reason why stock Pi has no edit for a change; null if it has one. */
export function buildEditRule(session: Session): PruneRules['forbids'] {
  return (item, { message }, history) => {
    const made = whyNotOfEntry(session, item);
    if (made !== null) return made;
    if (holdsPrompt(session, item)) return 'the compaction also contains the prompt, which an edit would remove';
    if (message === null && bareOf(history, item))
      return 'the packet is at the end, and a request cannot begin with an answer';
    return message !== null && NOT_EDITABLE.has(item.kind) ? ONLY_OUT : null;
  };
}

/** The reason why no stock entry makes a change, if a compaction can replace the summary in force. */
export function buildStockRule(session: Session, path: readonly Head[]): PruneRules['forbids'] {
  const asEdit = buildEditRule(session);
  return (item, change, history) => {
    if (item.kind === 'packet') return asEdit(item, change, history);
    const isDropped = change.message === null;
    if (isDropped && isSummaryInForce(session, path, item)) return null;
    return whyNotOfEntry(session, item) ?? (!isDropped && NOT_EDITABLE.has(item.kind) ? ONLY_OUT : null);
  };
}

/** Whether an edit that leaves out a message would take the prompt away with it. */
export function holdsPrompt(session: Session, { from }: HistoryItem): boolean {
  const head = from.entryId === null ? null : session.tree.heads.find(from.entryId);
  return head?.type === 'compaction' && Boolean(session.entry(head)['systemMessage']);
}

/** The reason why no entry of stock Pi can change a message; null if one can. */
function whyNotOfEntry(session: Session, { from }: HistoryItem): string | null {
  const head = from.entryId === null ? null : session.tree.heads.find(from.entryId);
  if (!head) return 'the entry has no id';
  return from.origin === 'transform' || head.type === 'context_transform'
    ? 'a transform created the message, and stock Pi ignores transforms'
    : null;
}

/** Whether an answer would be the first message, without a summary and all like it around it. */
function bareOf({ items }: History, { kind, at }: HistoryItem): boolean {
  const first = STANDS_FOR.has(kind) ? items.findIndex((item) => !STANDS_FOR.has(item.kind)) : -1;
  return at < first && items[first]?.message.role !== 'user';
}

/** Kinds of messages that may go without those that follow. */
const STANDS_FOR: ReadonlySet<string> = new Set(['branch-summary', 'compaction-summary', 'packet']);

const NOT_EDITABLE: ReadonlySet<string> = new Set(['bash', 'branch-summary', 'compaction-summary']);

const ONLY_OUT = 'Pi can only omit such a message';

/** The first entry that stock Pi keeps, where a compaction retains what a prune has left. */
export interface PruneBoundary {
  readonly firstKeptEntryId: string;
  /** Whether the message of an item goes because its entry is above the boundary, or is the summary in force. */
  goesByItself(item: HistoryItem): boolean;
}

/**
 * Where a stock compaction at the end of a path retains from, so that its summary replaces the one in force and all
 * that is above the first message that stays. null where no boundary leaves just what stays: a summary stays, or a
 * message that a transform has made, or an edit above the boundary counts below it.
 */
export function findPruneBoundary(
  session: Session,
  path: readonly Head[],
  { history }: PruneResult,
): PruneBoundary | null {
  const placeOf = placesOn(path);
  const first = history.items.find(({ kind }) => kind !== 'packet');
  const start = first ? placeOf(first) : -1;
  const firstKeptEntryId = first?.from.entryId ?? null;
  if (start === -1 || firstKeptEntryId === null) return null;
  const goesByItself = (item: HistoryItem): boolean => placeOf(item) < start || isSummaryInForce(session, path, item);
  const isFit = (item: HistoryItem): boolean =>
    item.kind === 'packet' ? goesByItself(item) || isOfEntry(item) : isOfEntry(item) && placeOf(item) >= start;
  const isKept = history.items.every(isFit) && !isEditedFromAbove(path, start);
  return isKept ? { firstKeptEntryId, goesByItself } : null;
}

/** Whether an item is the summary of a stock compaction, which the next one replaces. */
function isSummaryInForce(session: Session, path: readonly Head[], { from }: HistoryItem): boolean {
  if (from.origin !== 'compaction') return false;
  const at = path.findLastIndex(({ line }) => line === from.line);
  return path[at]?.type === 'compaction' || isDualWritten(session, path, at);
}

/** Whether it comes from an entry of the path, edited or not, rather than from a transform. */
function isOfEntry({ from: { origin } }: HistoryItem): boolean {
  return origin === 'entry' || origin === 'edit';
}

function placesOn(path: readonly Head[]): (item: HistoryItem) => number {
  const places = new Map(path.map(({ line }, at) => [line, at]));
  return ({ from }) => places.get(from.line) ?? -1;
}

/** Pi ignores an edit above the boundary, also of an entry below it. */
function isEditedFromAbove(path: readonly Head[], start: number): boolean {
  const below = new Set(path.slice(start).map(({ id }) => id));
  return path.slice(0, start).some(({ type, target }) => type === 'context_edit' && below.has(target));
}
