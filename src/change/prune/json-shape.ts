import { truncateText } from '#analysis/facts/text.js';
import { isObject, type JsonObject } from '#base/json.js';

/**
 * The shape of a value, one line per field: short values as they are, and the size of longer ones. Fields near the top
 * come first, and a list shows only its first item. The caller stops when it has enough.
 */
export function* describeShape(value: unknown): Generator<string> {
  let level: (readonly [path: string, value: unknown])[] = [['', value]];
  while (level.length > 0) {
    const below: typeof level = [];
    for (const [path, item] of level) {
      if (path !== '') yield `${path}${describeValue(item)}`;
      for (const inner of listFields(path, item)) below.push(inner);
    }
    level = below;
  }
}

function* listFields(path: string, value: unknown): Generator<readonly [string, unknown]> {
  if (Array.isArray(value)) {
    if (path === '') yield ['(list)', value.length];
    if (value.length > 0) yield [`${path}[0]`, value[0]];
  } else if (isObject(value)) {
    for (const [key, field] of Object.entries(value).slice(0, MOST_SHAPE_FIELDS))
      yield [path === '' ? formatKey(key) : `${path}.${formatKey(key)}`, field];
  }
}

const MOST_SHAPE_FIELDS = 100;

function formatKey(key: string): string {
  return /^[\w$-]{1,40}$/.test(key) ? key : JSON.stringify(truncateText(key, 40));
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `: ${value.length} items`;
  if (isObject(value)) return `: ${Object.keys(value).length} fields`;
  if (typeof value === 'string' && value.length > LONGEST_VALUE) return `: text of ${value.length} characters`;
  return ` = ${JSON.stringify(value)}`;
}

const LONGEST_VALUE = 80;

/** A text as the JSON object or list that it is; null for any other text. */
export function readJsonText(text: string): JsonObject | readonly unknown[] | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
