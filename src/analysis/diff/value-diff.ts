import { isObject, type JsonObject } from '#base/json.js';
import { diffList, type ItemChange } from './list-diff.js';

/** One change inside a JSON value. */
export interface ValueChange {
  /** The path: `content[0].text`; for a removed value, its former one. Empty for the value as a whole. */
  readonly place: string;
  /** `form`: the same text, as a string and as a list of one text block. `order`: the same keys in another order. */
  readonly kind: 'added' | 'removed' | 'moved' | 'changed' | 'form' | 'order';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The smallest differences between two values: texts and numbers are compared as a whole. */
export function diffValues(before: unknown, after: unknown, place = ''): readonly ValueChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isSameText(before, after) || isSameText(after, before)) return [{ place, kind: 'form', before, after }];
  if (isObject(before) && isObject(after)) return diffObjects(before, after, place);
  if (Array.isArray(before) && Array.isArray(after)) {
    const items: readonly [unknown[], unknown[]] = [before, after];
    return diffList(...items, SAME_ITEM).flatMap((change) => listItemChanges(change, place));
  }
  return [{ place, kind: 'changed', before, after }];
}

/** Whether a list of blocks contains only this text, which is sent identically. */
function isSameText(text: unknown, blocks: unknown): boolean {
  if (typeof text !== 'string' || !Array.isArray(blocks) || blocks.length !== 1) return false;
  const [block]: unknown[] = blocks;
  return isObject(block) && block.type === 'text' && block.text === text && Object.keys(block).length === 2;
}

function diffObjects(before: JsonObject, after: JsonObject, place: string): readonly ValueChange[] {
  const changes: ValueChange[] = [];
  for (const [key, value] of Object.entries(before)) {
    const at = formatKeyPlace(place, key);
    if (!Object.hasOwn(after, key)) changes.push({ place: at, kind: 'removed', before: value });
    else changes.push(...diffValues(value, after[key], at));
  }
  for (const [key, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, key)) changes.push({ place: formatKeyPlace(place, key), kind: 'added', after: value });
  }
  return changes.length > 0
    ? changes
    : [{ place, kind: 'order', before: Object.keys(before), after: Object.keys(after) }];
}

/** Blocks of a message with an id are matched by it; others if only their text changed. */
const SAME_ITEM = {
  text: (item: unknown): string => JSON.stringify(item),
  identity: (item: unknown): unknown => (isObject(item) ? (item.id ?? null) : null),
  isLike: (before: unknown, after: unknown): boolean =>
    isObject(before) && isObject(after) ? before.type === after.type : typeof before === typeof after,
};

function listItemChanges(change: ItemChange<unknown>, place: string): readonly ValueChange[] {
  switch (change.kind) {
    case 'added':
      return [{ place: `${place}[${change.to}]`, kind: 'added', after: change.after }];
    case 'removed':
      return [{ place: `${place}[${change.from}]`, kind: 'removed', before: change.before }];
    case 'moved':
      return [{ place: `${place}[${change.to}]`, kind: 'moved', before: change.from, after: change.to }];
    case 'changed': {
      const at = `${place}[${change.to}]`;
      const moved: ValueChange = { place: at, kind: 'moved', before: change.from, after: change.to };
      const values = diffValues(change.before, change.after, at);
      return change.isMoved ? [moved, ...values] : values;
    }
  }
}

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

function formatKeyPlace(place: string, key: string): string {
  if (!PLAIN_KEY.test(key)) return `${place}[${JSON.stringify(key)}]`;
  return place === '' ? key : `${place}.${key}`;
}
