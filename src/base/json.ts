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
