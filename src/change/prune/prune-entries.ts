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
import { findPruneBoundary, holdsPrompt, type PruneBoundary } from './forms.js';
import type { History, HistoryItem } from './history.js';
import { toPacketMessage } from './packet.js';
import type { PreparedPrune } from './prepare.js';
import type { PruneResult } from './prune.js';

const PRUNE_NAME = 'prune';

/** The decisions of a prune that its entries express. */
export interface Prune extends Pick<PreparedPrune, 'before' | 'pruned' | 'packet' | 'form'> {
  readonly path: readonly Head[];
  /** For readers: what was done, in a line. */
  readonly summary: string;
  /** For programs: why. */
  readonly details: JsonObject;
}

/**
 * The entries of a prune below the end of a path. Throws a CtxError (refused) if a packet would come between a call
 * and the result that is still to come, or where an edit cannot take away the packet before it.
 */
export function buildPruneEntries(session: Session, prune: Prune, { now, newId }: EntryStamps): readonly JsonObject[] {
  const time = now();
  return buildEntryChain(session, formatId(prune.path.at(-1)?.id), buildBodies(session, prune, time), {
    now: () => time,
    newId,
  });
}

function buildBodies(session: Session, prune: Prune, time: number): readonly EntryBody[] {
  if (prune.form === 'context_transform') return [buildPruneTransform(prune, time)];
  const changes = listLastChanges(prune);
  const boundary =
    prune.form === 'stock' && prune.packet !== null ? findPruneBoundary(session, prune.path, prune.pruned) : null;
  if (boundary !== null)
    return buildBatch(prune, [
      buildPacketCompaction(session, { ...prune, ...boundary }, time),
      ...changes.filter(({ item }) => !boundary.isDropped(item)).map(buildEditBody),
    ]);
  if (prune.packet !== null) refuseUnfitPacket(session, prune.pruned.history);
  return buildBatch(prune, [...changes.map(buildEditBody), ...buildPacketBodies(prune)]);
}

/** Entries of stock Pi below one that marks them as one prune. */
function buildBatch({ summary, details }: Prune, bodies: readonly EntryBody[]): readonly EntryBody[] {
  return [{ type: 'custom', customType: PRUNE_TYPE, data: { summary, entries: bodies.length, ...details } }, ...bodies];
}

function buildPacketCompaction(session: Session, prune: Prune & PruneBoundary, time: number): EntryBody {
  const { path, packet, firstKeptEntryId } = prune;
  // As compactions count it, and Pi.
  const tokensBefore = buildStockProjection(session, path).tokens;
  const fields = { summary: packet ?? '', firstKeptEntryId, tokensBefore, details: PACKET_DETAILS };
  return buildCompactionBody(session, path, fields, time);
}

function buildPacketBodies({ packet }: Prune): readonly EntryBody[] {
  return packet === null ? [] : [{ type: 'custom_message', customType: PACKET_TYPE, content: packet, display: false }];
}

function refuseUnfitPacket(session: Session, { items, turns, uses }: History): void {
  for (const item of items) if (item.kind === 'packet') refuseLastingPacket(session, item);
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

function buildPruneTransform({ pruned, packet, summary, details }: Prune, time: number): EntryBody {
  const op = {
    op: 'messages_cached_replace',
    scope: 'cached',
    messages: insertPacket(pruned, packet === null ? null : toPacketMessage(packet, time)),
    invalidateCacheReason: PRUNE_NAME,
  };
  return buildTransformBody(PRUNE_NAME, [op], { display: { title: 'Prune', summary }, details });
}

/** The messages with the packet at the position of the first dropped message or of the earlier packet, which it replaces. */
function insertPacket({ history, decisions }: PruneResult, packet: LlmMessage | null): readonly LlmMessage[] {
  if (packet === null) return history.items.map(({ message }) => message);
  const old = history.items.find(({ kind }) => kind === 'packet')?.place ?? Infinity;
  const first = decisions.reduce(
    (least, { item, message }) => (message === null ? Math.min(least, item.place) : least),
    old,
  );
  const rest = history.items.filter(({ kind }) => kind !== 'packet');
  const before = rest.filter(({ place }) => place < first);
  return [...before, { message: packet }, ...rest.slice(before.length)].map(({ message }) => message);
}

interface LastChange {
  readonly item: HistoryItem;
  readonly message: LlmMessage | null;
}

/** Each changed message after the last strategy. A new packet replaces the one before it. */
function listLastChanges({ pruned: { history, decisions }, packet }: Prune): readonly LastChange[] {
  const last = new Map(decisions.map(({ item, message }) => [item.place, { item, message }]));
  if (packet !== null)
    for (const item of history.items) if (item.kind === 'packet') last.set(item.place, { item, message: null });
  return [...last.values()];
}

function buildEditBody({ item, message }: LastChange): EntryBody {
  const replacement = message === null ? null : { content: message.content };
  return { type: 'context_edit', targetId: item.from.entryId, replacement };
}
