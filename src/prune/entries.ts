import type { LlmMessage } from '../context/content.js';
import { CtxError } from '../errors.js';
import { type EntryBody, entriesBelow, type Freshness } from '../plan/ids.js';
import { PRUNE_TYPE } from '../plan/batches.js';
import { type Head, idText } from '../session/head.js';
import type { Session } from '../session/session.js';
import type { JsonObject } from '../session/values.js';
import type { Rules } from './guard.js';
import type { History, Item } from './history.js';
import { PACKET_TYPE, packetMessage } from './packet.js';
import type { Pruned } from './prune.js';

/** How a prune stands in the file: as one transform, or as the edits that stock Pi knows. */
export const PRUNE_FORMS = ['context_transform', 'context_edit'] as const;
export type PruneForm = (typeof PRUNE_FORMS)[number];

/** What the transform calls itself. */
const PRUNE_NAME = 'prune';

/** A prune that only has to be written down. */
export interface Prune {
  readonly path: readonly Head[];
  readonly pruned: Pruned;
  /** What stands for the turns and summaries that are left out; null: nothing new has to. */
  readonly packet: string | null;
  readonly form: PruneForm;
  /** For readers: what was done, in a line. */
  readonly summary: string;
  /** For programs: why. */
  readonly details: JsonObject;
}

/**
 * The entries of a prune below the end of a path. Throws a CtxError (refused) where a packet would stand between a call
 * and the result that is still to come, or where an edit cannot take away the packet before it.
 */
export function pruneEntries(session: Session, prune: Prune, { now, newId }: Freshness): readonly JsonObject[] {
  if (prune.form === 'context_edit' && prune.packet !== null) refuseUnfitPacket(session, prune.pruned.history);
  const time = now();
  const bodies = prune.form === 'context_transform' ? [transformBody(prune, time)] : editBodies(prune);
  return entriesBelow(session, idText(prune.path.at(-1)?.id), bodies, { now: () => time, newId });
}

function refuseUnfitPacket(session: Session, { items, turns, uses }: History): void {
  const old = items.find(({ kind, from }) => kind === 'packet' && from.origin === 'transform');
  if (old)
    throw new CtxError('refused', 'a transform has made the packet that stands there, and stock Pi cannot edit that', {
      where: session.file,
      hint: `leave --as out, or undo that prune first: ctx restore ${session.file} ${old.from.entryId}`,
    });
  const isOpen = uses.some(({ callAt, resultAt }) => callAt >= 0 && resultAt < 0 && items[callAt]?.turn === turns - 1);
  if (!isOpen) return;
  throw new CtxError('refused', 'a tool call of the newest turn has no result, and a packet would stand between them', {
    where: session.file,
    hint: 'go on with the session first, or leave --as out',
  });
}

function transformBody({ pruned, packet, summary, details }: Prune, time: number): EntryBody {
  const op = {
    op: 'messages_cached_replace',
    scope: 'cached',
    messages: messagesWith(pruned, packet === null ? null : packetMessage(packet, time)),
    invalidateCacheReason: PRUNE_NAME,
  };
  return {
    type: 'context_transform',
    schemaVersion: 1,
    transformerName: PRUNE_NAME,
    patch: [op],
    display: { title: 'Prune', summary },
    details,
  };
}

/** The packet stands where the first message was that it stands for, and takes the place of an earlier one. */
function messagesWith({ history, decisions }: Pruned, packet: LlmMessage | null): readonly LlmMessage[] {
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

function editBodies({ pruned, packet, summary, details }: Prune): readonly EntryBody[] {
  const { history, decisions } = pruned;
  // A message that several strategies have changed stays as the last one has left it.
  const last = new Map(decisions.map(({ item, message }) => [item.place, { item, message }]));
  if (packet !== null)
    for (const item of history.items) if (item.kind === 'packet') last.set(item.place, { item, message: null });
  const edits = [...last.values()].map(({ item, message }) => ({
    type: 'context_edit',
    targetId: item.from.entryId,
    replacement: message === null ? null : { content: message['content'] },
  }));
  const shown =
    packet === null ? [] : [{ type: 'custom_message', customType: PACKET_TYPE, content: packet, display: false }];
  const data = { summary, entries: edits.length + shown.length, ...details };
  return [{ type: 'custom', customType: PRUNE_TYPE, data }, ...edits, ...shown];
}

/** Says why stock Pi has no edit for a change; null where it has one. */
export function whyNotAsEdit(session: Session): Rules['forbids'] {
  return (item, { message }, history) => {
    const { kind, from } = item;
    const head = from.entryId === null ? null : session.tree.heads.find(from.entryId);
    if (!head) return 'its entry has no id';
    if (from.origin === 'transform' || head.type === 'context_transform')
      return 'a transform has made it, which stock Pi does not know';
    if (head.type === 'compaction' && session.entry(head)['systemMessage'])
      return 'the compaction holds the prompt as well, which an edit would take away with it';
    if (message === null && bareOf(history, item))
      return 'the packet stands at the end, and a request cannot begin with an answer';
    if (message !== null && NOT_EDITABLE.has(kind)) return 'Pi can only leave such a message out';
    return null;
  };
}

/** Whether an answer would be the first message, without a summary and all like it around it. */
function bareOf({ items }: History, { kind, at }: Item): boolean {
  const first = STANDS_FOR.has(kind) ? items.findIndex((item) => !STANDS_FOR.has(item.kind)) : -1;
  return at < first && items[first]?.message.role !== 'user';
}

/** What may go without what follows it. */
const STANDS_FOR: ReadonlySet<string> = new Set(['branch-summary', 'compaction-summary', 'packet']);

const NOT_EDITABLE: ReadonlySet<string> = new Set(['bash', 'branch-summary', 'compaction-summary']);
