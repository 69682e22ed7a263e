/** A JSON object as it was parsed: any key may be there, with any value. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A number to count with. JSON can say one that is infinite, or so big that sums are; nobody has counted to those. */
export function asCount(value: unknown): number | null {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null;
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list that may hold anything, or may not be a list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return asArray(value).filter(isObject);
}

/**
 * A value as JavaScript would put it into a template, for text that Pi builds that way.
 * Objects are written as JSON, so that a stored `toString` key cannot make it throw.
 */
export function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** A type whose every field and item is read-only. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
