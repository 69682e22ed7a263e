import { canonicalJson } from '#base/canonical-json.js';
import { isObject } from '#base/json.js';
import { addTo } from '#base/maps.js';
import type { LlmMessage } from './content.js';

/** Anything with the message that is sent for it; null if none is. */
interface MessagePlace {
  readonly sent: LlmMessage | null;
}

type FindSlot<Slot> = (message: LlmMessage) => Slot | undefined;

/** Finds a slot in several lists, in order; each list is created only if the previous ones had no match. */
export function buildSlotFinder<Slot extends MessagePlace>(
  ...lists: readonly (() => readonly Slot[])[]
): FindSlot<Slot> {
  const finders: FindSlot<Slot>[] = [];
  return (message) => {
    for (const [at, list] of lists.entries()) {
      const found = (finders[at] ??= buildListFinder(list()))(message);
      if (found) return found;
    }
    return undefined;
  };
}

/** Finds a slot in a list whose messages are still identical objects. */
export function buildIdentitySlotFinder<Slot extends MessagePlace>(slots: readonly Slot[]): FindSlot<Slot> {
  const same = new Map(slots.map((slot) => [slot.sent, slot]));
  return (message) => same.get(message);
}

/** Finds the slot of a message, each once: the identical message, else the first equal one. */
function buildListFinder<Slot extends MessagePlace>(slots: readonly Slot[]): FindSlot<Slot> {
  const identical = new Map(slots.map((slot) => [slot.sent, slot]));
  /** Built when a message is not identical to any, since it compares contents. */
  let findEqual: ((message: LlmMessage) => Slot[]) | null = null;
  const used = new Set<Slot>();
  const use = (slot: Slot | undefined): Slot | undefined => {
    if (!slot || used.has(slot)) return undefined;
    used.add(slot);
    return slot;
  };
  return (message) => {
    const found = use(identical.get(message));
    if (found) return found;
    findEqual ??= buildEqualFinder(slots);
    const candidates = findEqual(message);
    while (candidates.length > 0) {
      const candidate = use(candidates.pop());
      if (candidate) return candidate;
    }
    return undefined;
  };
}

/**
 * Finds the slots with a message, the last one first. The list may be changed. Only messages of the same form are compared
 * as a whole.
 */
function buildEqualFinder<Slot extends MessagePlace>(slots: readonly Slot[]): (message: LlmMessage) => Slot[] {
  const sent = slots.toReversed().filter((slot) => slot.sent !== null);
  const slotsByForm = groupByKey(sent, (slot) => describeForm(slot.sent as LlmMessage));
  /** The slots by form, and then by the JSON of the message. */
  const slotsByJson = new Map<string, Map<string, Slot[]>>();
  return (message) => {
    const form = describeForm(message);
    const alike = slotsByForm.get(form);
    if (!alike) return [];
    const groups = slotsByJson.get(form) ?? groupByKey(alike, (slot) => canonicalJson(slot.sent));
    slotsByJson.set(form, groups);
    return groups.get(canonicalJson(message)) ?? [];
  };
}

function groupByKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) addTo(groups, keyOf(item), item);
  return groups;
}

/** A text that is identical for equal messages, and cheap. */
function describeForm({ role, content, timestamp }: LlmMessage): string {
  const lengths = Array.isArray(content) ? content.map(measureText) : [-1];
  return `${role} ${String(timestamp)} ${lengths.join()}`;
}

function measureText(block: unknown): number {
  return isObject(block) && typeof block.text === 'string' ? block.text.length : 0;
}
