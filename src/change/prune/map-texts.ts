import { isObject, type JsonObject } from '#base/json.js';

type Shorten = (text: string) => string;

/** A value with its texts shortened, at any depth; the same value where none changes. */
export function mapTexts(value: unknown, shorten: Shorten, depth = 0): unknown {
  if (typeof value === 'string') return shorten(value);
  if (depth >= DEEPEST) return value;
  if (isObject(value)) return mapFieldTexts(value, shorten, depth + 1);
  if (!Array.isArray(value)) return value;
  const short = value.map((each) => mapTexts(each, shorten, depth + 1));
  return short.every((each, at) => each === value[at]) ? value : short;
}

export function mapFieldTexts(value: JsonObject, shorten: Shorten, depth: number): JsonObject {
  const entries = Object.entries(value);
  const short = entries.map(([name, each]) => [name, mapTexts(each, shorten, depth)] as const);
  return short.every(([, each], at) => each === entries[at]?.[1]) ? value : Object.fromEntries(short);
}

/** No tool takes texts that lie deeper; a stored session may hold anything. */
const DEEPEST = 16;
