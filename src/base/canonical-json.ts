import { isObject } from './json.js';

/**
 * Canonical JSON (RFC 8785): keys in the order of their UTF-16 code units, no white space, numbers and
 * strings as JavaScript writes them. Lone surrogates stay escapes, since real tool output has them;
 * undefined is omitted and NaN is null, as in JSON.stringify.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields: string[] = [];
  for (const [key, field] of Object.entries(value).toSorted(compareKeys)) {
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`);
  }
  return `{${fields.join(',')}}`;
}

/** Canonical texts of messages and prompts, most of which are part of many envelopes of a session. */
const texts = new WeakMap<object, string>();

/** Returns what `canonicalJson` does, but caches it. The value must no longer change. */
export function canonicalJsonOnce(value: object): string {
  const cached = texts.get(value);
  if (cached !== undefined) return cached;
  const text = canonicalJson(value);
  texts.set(value, text);
  return text;
}

/** Whether two values are equal as JSON, whatever the order of their keys, and however deep they are nested. */
export function isJsonEqual(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const some = toJsonNumber(pair[0]);
    const others = toJsonNumber(pair[1]);
    if (some === others) continue;
    if (Array.isArray(some) && Array.isArray(others)) {
      if (some.length !== others.length) return false;
      for (const [at, item] of some.entries()) pairs.push([item, others[at]]);
      continue;
    }
    if (!isObject(some) || !isObject(others)) return false;
    for (const key in some) pairs.push([some[key], others[key]]);
    for (const key in others) {
      if (others[key] !== undefined && !Object.hasOwn(some, key)) return false;
    }
  }
  return true;
}

/** Turns a number that is not finite into null, as JSON does. */
function toJsonNumber(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

/** Compares members of an object by their keys. */
export function compareKeys([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
