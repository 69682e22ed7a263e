import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { PACKET_DETAILS, PACKET_TYPE, PRUNE_TYPE } from '#context/replay/ctx-entries.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { buildCompactionBody } from '../compact/compaction-entries.js';
import { buildStockProjection } from '../compact/stock-projection.js';
import type { EntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain, buildTransformBody, type EntryBody } from '../plan/new-entries.js';
import { formatRevertCommand } from '../plan/next-commands.js';
import { holdsPrompt } from './forms.js';
import type { History, HistoryItem } from './history.js';
import { toPacketMessage } from './packet.js';
import type { PreparedPrune } from './prepare.js';
import { findPruneBoundary, type PruneBoundary } from './prune-boundary.js';
import type { PruneResult } from './prune.js';

const PRUNE_NAME = 'prune';

/**
 * The entries of a prune below the end of its path. `summary`: for readers, what was done, in a line. Throws a CtxError
 * (refused) if a packet would come between a call and the result that is still to come, or where an edit cannot take away
 * the packet before it.
 */
export function buildPruneEntries(
  session: Session,
  prune: PreparedPrune,
  summary: string,
  { now, newId }: EntryStamps,
): readonly JsonObject[] {
  const time = now();
  const bodies =
    prune.form === 'context_transform'
      ? [buildPruneTransform(prune, summary, time)]
      : buildBatch(prune, summary, buildStockBodies(session, prune, time));
  return buildEntryChain(session, formatId(prune.path.at(-1)?.id), bodies, { now: () => time, newId });
}

/** Entries of stock Pi below one that marks them as one prune. */
function buildBatch(prune: PreparedPrune, summary: string, bodies: readonly EntryBody[]): readonly EntryBody[] {
  const data = { summary, entries: bodies.length, ...describeCause(prune) };
  return [{ type: 'custom', customType: PRUNE_TYPE, data }, ...bodies];
}

/** Describes for programs why a prune did what it did. */
function describeCause({ zone, strategies }: PreparedPrune): JsonObject {
  return { zone, strategies };
}

/**
 * The edits of a prune, and the packet: as a compaction where one can replace all before a boundary, else as a message.
 */
function buildStockBodies(session: Session, prune: PreparedPrune, time: number): readonly EntryBody[] {
  const { path, form, packet, pruned } = prune;
  const changes = listLastChanges(prune);
  if (packet === null) return changes.map(buildEditBody);
  const boundary = form === 'stock' ? findPruneBoundary(session, path, pruned) : null;
  if (boundary !== null) {
    const edited = changes.filter(({ item }) => !boundary.isDropped(item));
    return [buildPacketCompaction(session, path, { packet, boundary, time }), ...edited.map(buildEditBody)];
  }
  refuseUnfitPacket(session, pruned.history);
  return [
    ...changes.map(buildEditBody),
    { type: 'custom_message', customType: PACKET_TYPE, content: packet, display: false },
  ];
}

interface PacketCompaction {
  readonly packet: string;
  readonly boundary: PruneBoundary;
  readonly time: number;
}

function buildPacketCompaction(
  session: Session,
  path: readonly Head[],
  { packet, boundary, time }: PacketCompaction,
): EntryBody {
  const { firstKeptEntryId } = boundary;
  // Pi and its compactions count the context before the prune in this way.
  const tokensBefore = buildStockProjection(session, path).tokens;
  const fields = { summary: packet, firstKeptEntryId, tokensBefore, details: PACKET_DETAILS };
  return buildCompactionBody(session, path, fields, time);
}

function refuseUnfitPacket(session: Session, { items, turns, uses }: History): void {
  for (const item of items) {
    if (item.kind === 'packet') refuseLastingPacket(session, item);
  }
  const isOpen = uses.some(({ callAt, resultAt }) => callAt >= 0 && resultAt < 0 && items[callAt]?.turn === turns - 1);
  if (!isOpen) return;
  throw new CtxError('refused', 'a tool call of the newest turn has no result yet, and a packet would separate them', {
    where: session.file,
    hint: 'continue the session first, or choose another form with --as',
  });
}

/** The new packet replaces the old one, so an edit has to be able to leave that out. */
function refuseLastingPacket(session: Session, item: HistoryItem): void {
  const { origin, entryId } = item.from;
  const isOfTransform = origin === 'transform';
  if (!isOfTransform && !holdsPrompt(session, item)) return;
  const why = isOfTransform
    ? 'a transform created the existing packet, and stock Pi cannot edit that'
    : 'the compaction with the existing packet also contains the prompt, and an edit would remove it';
  throw new CtxError('refused', why, {
    where: session.file,
    hint: `omit --as, or undo that prune first: ${formatRevertCommand(session.file, entryId ?? '')}`,
  });
}

function buildPruneTransform(prune: PreparedPrune, summary: string, time: number): EntryBody {
  const { pruned, packet } = prune;
  const op = {
    op: 'messages_cached_replace',
    scope: 'cached',
    messages: insertPacket(pruned, packet === null ? null : toPacketMessage(packet, time)),
    invalidateCacheReason: PRUNE_NAME,
  };
  const display = { title: 'Prune', summary };
  return buildTransformBody(PRUNE_NAME, [op], { display, details: describeCause(prune) });
}

/**
 * The messages with the packet at the position of the first dropped message or of the earlier packet, which it
 * replaces.
 */
function insertPacket({ history, decisions }: PruneResult, packet: LlmMessage | null): readonly LlmMessage[] {
  if (packet === null) return history.items.map(({ message }) => message);
  const old = history.items.find(({ kind }) => kind === 'packet')?.place ?? Infinity;
  const first = decisions.reduce(
    (least, { item, message }) => (message === null ? Math.min(least, item.place) : least),
    old,
  );
  const items = history.items.filter(({ kind }) => kind !== 'packet');
  const before = items.filter(({ place }) => place < first);
  return [...before, { message: packet }, ...items.slice(before.length)].map(({ message }) => message);
}

interface LastChange {
  readonly item: HistoryItem;
  readonly message: LlmMessage | null;
}

/** Each changed message after the last strategy. A new packet replaces the one before it. */
function listLastChanges({ pruned: { history, decisions }, packet }: PreparedPrune): readonly LastChange[] {
  const last = new Map(decisions.map(({ item, message }) => [item.place, { item, message }]));
  if (packet !== null) {
    for (const item of history.items) {
      if (item.kind === 'packet') last.set(item.place, { item, message: null });
    }
  }
  return [...last.values()];
}

function buildEditBody({ item, message }: LastChange): EntryBody {
  const replacement = message === null ? null : { content: message.content };
  return { type: 'context_edit', targetId: item.from.entryId, replacement };
}
