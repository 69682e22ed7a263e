import { isObject, type JsonObject } from '#base/json.js';

/** The kinds of records in a log of VS Code 1.109 and newer. */
const INITIAL = 0;
const SET = 1;
export const PUSH = 2;
const DELETE = 3;

/** A change of the value at a path. */
export interface Mutation {
  readonly kind: number;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** The number of items that stay before the added ones; null if all stay. */
  readonly kept: number | null;
}

/**
 * The change that a record makes; null for any other record. Source: ObjectMutationLog in microsoft/vscode, read on
 * 29 November 2026.
 */
export function readMutation({ kind, k, v, i }: JsonObject): Mutation | null {
  if (kind === INITIAL) return { kind, path: [], value: v, kept: null };
  const isKnown = kind === SET || kind === PUSH || kind === DELETE;
  if (!isKnown || !Array.isArray(k) || k.length === 0 || k.length > MOST_KEYS || !k.every(isKey)) return null;
  return { kind, path: k, value: v, kept: Number.isSafeInteger(i) ? Number(i) : null };
}

/** A chat is not a tenth as deep. A longer path would nest its value too deeply to be copied or serialised. */
const MOST_KEYS = 100;

function isKey(key: unknown): key is string | number {
  return typeof key === 'string' ? !UNSAFE.has(key) : Number.isSafeInteger(key) && Number(key) >= 0;
}

/** Keys with which a hostile file could reach the prototype of an object. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The value after a change. What is changed is copied, so that values of other records stay as they are. */
export function applyMutation(value: unknown, { kind, path, value: changed, kept }: Mutation): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return applyHere(value, { kind, path, value: changed, kept });
  const inner = applyMutation(valueAt(value, key), { kind, path: rest, value: changed, kept });
  if (typeof key === 'number') return setItem(Array.isArray(value) ? (value as unknown[]) : [], key, inner);
  return { ...(isObject(value) ? value : {}), [key]: inner };
}

function applyHere(value: unknown, { kind, value: changed, kept }: Mutation): unknown {
  if (kind === DELETE) return undefined;
  if (kind !== PUSH) return changed;
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  return [...items.slice(0, kept ?? items.length), ...(Array.isArray(changed) ? (changed as unknown[]) : [])];
}

function valueAt(value: unknown, key: string | number): unknown {
  if (typeof key === 'number') return Array.isArray(value) ? (value as unknown[])[key] : undefined;
  return isObject(value) ? value[key] : undefined;
}

/** A place far behind the end would take much memory: the record is damaged. */
function setItem(items: readonly unknown[], at: number, item: unknown): readonly unknown[] {
  return at > items.length ? items : [...items.slice(0, at), item, ...items.slice(at + 1)];
}
