import { cut, oneLine } from '#analysis/facts/text.js';
import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';

/** A text as the JSON object or list that it is; null for any other text. */
export function jsonIn(text: string): JsonObject | readonly unknown[] | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The shape of a value, a line for each field: short values as they are, of others how much there is. Fields near the
 * top come first, and of a list only its first item is looked into. Whoever has seen enough stops.
 */
export function* shapeOf(value: unknown): Generator<string> {
  let level: (readonly [path: string, value: unknown])[] = [['', value]];
  while (level.length > 0) {
    const below: typeof level = [];
    for (const [path, item] of level) {
      if (path !== '') yield `${path}${sizeOrValue(item)}`;
      for (const inner of fieldsOf(path, item)) below.push(inner);
    }
    level = below;
  }
}

function* fieldsOf(path: string, value: unknown): Generator<readonly [string, unknown]> {
  if (Array.isArray(value)) {
    if (path === '') yield ['(list)', value.length];
    if (value.length > 0) yield [`${path}[0]`, value[0]];
  } else if (isObject(value)) {
    for (const [key, field] of Object.entries(value).slice(0, MOST_FIELDS))
      yield [path === '' ? named(key) : `${path}.${named(key)}`, field];
  }
}

const MOST_FIELDS = 100;

function named(key: string): string {
  return /^[\w$-]{1,40}$/.test(key) ? key : JSON.stringify(cut(key, 40));
}

function sizeOrValue(value: unknown): string {
  if (Array.isArray(value)) return `: ${value.length} items`;
  if (isObject(value)) return `: ${Object.keys(value).length} fields`;
  if (typeof value === 'string' && value.length > LONGEST_VALUE) return `: text of ${value.length} characters`;
  return ` = ${JSON.stringify(value)}`;
}

const LONGEST_VALUE = 80;

/** The list of hits that a search has answered with, a line each; null where it holds none. */
export function hitsIn(value: JsonObject | readonly unknown[]): readonly string[] | null {
  const lists = Array.isArray(value) ? [value] : Object.values(value).filter((field) => Array.isArray(field));
  const hits = lists.map(objectsIn).find((list) => list.length > 0);
  const lines = hits?.map((hit) => HIT_FIELDS.flatMap((names) => fieldIn(hit, names)).join(' - ')) ?? [];
  return lines.some((line) => line !== '') ? lines : null;
}

/** What a reader wants of a hit; services name it in different ways. */
const HIT_FIELDS: readonly (readonly string[])[] = [
  ['title', 'name', 'path', 'file'],
  ['url', 'link', 'href'],
  ['snippet', 'description', 'summary', 'text', 'content'],
];

function fieldIn(hit: JsonObject, names: readonly string[]): readonly string[] {
  const found = names.map((name) => asString(hit[name])).find((text) => text !== null && text !== '');
  return found ? [cut(oneLine(found), 160)] : [];
}
