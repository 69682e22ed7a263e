/** A JSON object as parsed: any key may exist, with any value. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that may be no object; then it has no members. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A number to count with. Negative ones, infinite ones, and those whose sums are infinite are rejected. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null;
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a value that may be a list of anything, or not a list. */
export function listObjects(value: unknown): readonly JsonObject[] {
  const all = asArray(value);
  return all.every(isObject) ? all : all.filter(isObject);
}

/** The texts of a value that may be a list of anything, or not a list. */
export function listTexts(value: unknown): readonly string[] {
  return asArray(value).filter((item) => typeof item === 'string');
}

/**
 * Converts a value like a JavaScript template does, for text that Pi builds that way.
 * Objects are written as JSON, so that a stored `toString` key cannot make it throw.
 */
export function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** The value of a JSON text; undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A type whose every field and item is read-only. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

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

/** Like `canonicalJson`, but cached, for a value that no longer changes. */
export function canonicalJsonOnce(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = canonicalJson(value);
  texts.set(value, text);
  return text;
}

/** Whether two values are equal as JSON, whatever the order of their keys. */
export function isJsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isJsonEqual(item, other[at]));
  if (!isObject(one) || !isObject(other) || Array.isArray(other)) return false;
  for (const key in one) if (!isJsonEqual(one[key], other[key])) return false;
  for (const key in other) if (other[key] !== undefined && one[key] === undefined) return false;
  return true;
}

/** Compares members of an object by their keys. */
export function compareKeys([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** The length of a value as JSON in UTF-16 code units, even if it is nested too deeply for JSON.stringify. */
export function measureJson(value: unknown): number {
  return formatJson(value)?.length ?? lengthOfDeep(value);
}

/** A value as JSON; null if it is nested too deeply. */
export function formatJson(value: unknown): string | null {
  return attemptDeep(() => JSON.stringify(value), null);
}

/** The result of a function that descends into a value; `otherwise` if the value is nested too deeply for it. */
export function attemptDeep<Result, Other>(descend: () => Result, otherwise: Other): Result | Other {
  try {
    return descend();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

function lengthOfDeep(value: unknown): number {
  let length = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) {
      length += JSON.stringify(next ?? null).length;
      continue;
    }
    const isList = Array.isArray(next);
    const items: readonly unknown[] = isList ? next : Object.values(next);
    if (!isList) for (const key of Object.keys(next)) length += JSON.stringify(key).length + ':'.length;
    length += '[]'.length + Math.max(0, items.length - 1);
    for (const item of items) waiting.push(item);
  }
  return length;
}

/** Values frozen by `deepFreeze`, which cannot have changed since. */
const all = new WeakSet<object>();

/** Freezes a JSON value and everything in it, and returns it. */
export function deepFreeze<Value extends object>(value: Value): Value {
  const waiting: object[] = [value];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (all.has(next)) continue;
    all.add(Object.freeze(next));
    for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) waiting.push(member);
  }
  return value;
}

export function isFrozen(value: object): boolean {
  return all.has(value);
}

/** Formats a value as JSON to be read. A value that is nested too deeply becomes a note. */
export function formatIndentedJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '(nested too deeply to show)';
  }
}
