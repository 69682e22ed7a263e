import { canonicalJson } from '#base/canonical-json.js';
import { isObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import { applyEdit, type EditReplacement } from '#context/replay/apply-edit.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { readEntryMessage, readSummaryMessage, toLlmMessage } from '#context/replay/convert.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { isWithoutEffect } from '#context/replay/patch-op.js';
import { findPlaces, mergeByIndex } from '#context/replay/slot-places.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head, RawId } from '#session/heads/head.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';

/** A message of the list, and the entry that added it. */
interface Item {
  readonly head: Head;
  /** The place on the path of the entry, or of the one that it replaces. */
  readonly index: number;
  readonly isSummary: boolean;
  readonly message: StoredMessage;
  /** The message with its keys in another order, as a transform restated it. */
  restated?: LlmMessage;
}

interface Edit {
  readonly index: number;
  readonly replacement: EditReplacement | undefined;
}

/**
 * The cached messages at the end of a path: the specification of replay, written a second time without anything that makes
 * it fast. Each rule is one branch of the loop. Rules of other agents are left out.
 */
export function foldMessages(session: OpenSession, path: readonly Head[]): readonly LlmMessage[] {
  let items: Item[] = [];
  /** Messages that a compaction hid: a later one may keep them again. */
  let hidden: { readonly item: Item; readonly by: Head }[] = [];
  const edits = new Map<RawId, Edit>();
  /** Edits before this place no longer count. */
  let editsFrom = 0;
  /** Transforms that a stock compaction repeats, by their indexes. */
  const repeated = new Set<number>();
  const withoutEffect = new Set<number>();

  const send = (item: Item): LlmMessage | null => {
    const edit = item.head.type === 'context_transform' ? undefined : edits.get(item.head.id);
    const isInForce = edit !== undefined && edit.index >= editsFrom && edit.replacement !== undefined;
    const shown = isInForce ? applyEdit(item.message, edit.replacement ?? null) : item.message;
    const sent = shown && toLlmMessage(shown);
    const { restated } = item;
    return restated && sent && canonicalJson(restated) === canonicalJson(sent) ? restated : sent;
  };
  const visible = (): Item[] => items.filter((item) => send(item) !== null);
  const isStock = (head: Head): boolean => head.type === 'compaction' || repeated.has(head.index);
  const hide = (some: readonly Item[], by: Head): void => void hidden.push(...some.map((item) => ({ item, by })));

  const transform = (
    head: Head,
    index: number,
    op: { readonly compacts: boolean; apply(envelope: EnvelopeContent): EnvelopeContent },
  ): void => {
    const before = visible();
    const cached = before.map((item) => send(item) as LlmMessage);
    const after = op.apply({ ...EMPTY_ENVELOPE, messages: { cached, uncached: [] } }).messages.cached;
    const candidates = op.compacts ? before : [...before, ...hidden.map(({ item }) => item)];
    const used = new Set<Item>();
    const found = after.map((message): Item | null => {
      const free = candidates.filter((item) => !used.has(item));
      const same = before.find((item, place) => cached[place] === message && !used.has(item));
      const equal = (item: Item): boolean => canonicalJson(send(item)) === canonicalJson(message);
      const item = same ?? (op.compacts ? undefined : free.find(equal));
      if (!item) return null;
      used.add(item);
      if (JSON.stringify(send(item)) !== JSON.stringify(message)) item.restated = message;
      return item;
    });
    const places = op.compacts ? [] : findPlaces(before, found, index);
    const isSummary = op.compacts;
    const next = after.map(
      (message, at): Item => found[at] ?? { head, index: places[at] ?? index, isSummary, message },
    );
    const lastDropped = items.findLastIndex((item) => send(item) !== null && !used.has(item));
    const omitted = items.filter((item, at) => send(item) === null && (!op.compacts || at > lastDropped));
    hidden = hidden.filter(({ item }) => !used.has(item));
    if (op.compacts) hide(items.slice(0, lastDropped + 1), head);
    const lead = op.compacts ? 1 : 0;
    items = [...next.slice(0, lead), ...mergeByIndex(next.slice(lead), omitted)];
  };

  const compact = (head: Head, index: number): void => {
    const target = session.tree.heads.targetAt(head.index);
    const place = path.findIndex((each) => each.index === target);
    editsFrom = place === -1 || place >= index ? index : place;
    const stays = (item: Item): boolean => item.index >= editsFrom && !(item.isSummary && isStock(item.head));
    const back = hidden.filter(({ item, by }) => stays(item) && isStock(by)).map(({ item }) => item);
    const kept = mergeByIndex(items.filter(stays), back);
    hidden = hidden.filter(({ item }) => !kept.includes(item));
    hide(
      items.filter((item) => !kept.includes(item)),
      head,
    );
    items = [{ head, index, isSummary: true, message: readSummaryMessage(session.entry(head)) }, ...kept];
  };

  for (const [index, head] of path.entries()) {
    const entry = session.entry(head);
    if (head.type === 'compaction') {
      const above = findRepeatedTransform(session, path, index);
      if (above && !withoutEffect.has(above.index)) repeated.add(above.index);
      else compact(head, index);
    } else if (head.type === 'context_transform') {
      const ops = session.readPatch(entry);
      for (const op of ops) if (op.ok && op.region === 'messages') transform(head, index, op);
      if (isWithoutEffect(ops)) withoutEffect.add(head.index);
    } else if (head.type === 'context_edit') {
      const { replacement } = entry;
      const isWhole = isObject(replacement) || replacement === null || replacement === undefined;
      edits.set(head.target, { index, replacement: isWhole ? replacement : {} });
    } else {
      const message = readEntryMessage(entry);
      if (message && message.role !== 'system') items.push({ head, index, isSummary: false, message });
    }
  }
  return items.flatMap((item) => send(item) ?? []);
}
