import { cut, oneLine } from '#analysis/facts/text.js';
import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';

/** One result of a search. */
export interface SearchHit {
  readonly title: string;
  /** Its address and its snippet, as far as it has them. */
  readonly about: readonly string[];
}

/** The results of a search, in its order, from a list in JSON or from paragraphs of text; null for any other text. */
export function searchHits(text: string): readonly SearchHit[] | null {
  const json = jsonIn(text);
  return json ? hitsIn(json) : hitsOfParagraphs(text);
}

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

/** The first list of results in a value, looked for level by level. */
function hitsIn(value: JsonObject | readonly unknown[]): readonly SearchHit[] | null {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    for (const each of level) {
      const hits = Array.isArray(each) ? hitsOfList(each) : [];
      if (hits.length > 0) return hits;
    }
    level = level.flatMap((each) => (isObject(each) ? Object.values(each).slice(0, MOST_FIELDS) : []));
  }
  return null;
}

/** Services wrap the list once or twice: `web.results`, `data.items.results`. */
const DEEPEST = 3;
const MOST_FIELDS = 100;

function hitsOfList(list: readonly unknown[]): readonly SearchHit[] {
  const texts = list.flatMap((each) => asString(each) ?? []);
  if (texts.length === list.length) return texts.map((text) => ({ title: field(text), about: [] }));
  return objectsIn(list).flatMap((hit) => hitOf(hit) ?? []);
}

function hitOf(hit: JsonObject): SearchHit | null {
  const [title, ...about] = HIT_FIELDS.flatMap((names) => fieldIn(hit, names));
  return title === undefined ? null : { title, about };
}

/** The fields of a result that a reader needs; services name them in different ways. */
const HIT_FIELDS: readonly (readonly string[])[] = [
  ['title', 'name', 'path', 'file'],
  ['url', 'link', 'href'],
  ['snippet', 'description', 'summary', 'text', 'content'],
];

function fieldIn(hit: JsonObject, names: readonly string[]): readonly string[] {
  const found = names.map((name) => asString(hit[name])).find((text) => text !== null && text !== '');
  return found ? [field(found)] : [];
}

function field(text: string): string {
  return cut(oneLine(text), LONGEST_FIELD);
}

const LONGEST_FIELD = 240;

/** Paragraphs of several lines, of which the first is the title. */
function hitsOfParagraphs(text: string): readonly SearchHit[] | null {
  const paragraphs = text.trim().split(/\n\s*\n/);
  const hits = paragraphs.map((paragraph) => paragraph.split('\n').map((line) => field(line.replace(MARK, ''))));
  if (hits.length < 2 || hits.filter((lines) => lines.length > 1).length < hits.length / 2) return null;
  return hits.map(([title = '', ...about]) => ({ title, about }));
}

/** The mark in front of a title or an address. */
const MARK = /^\s*(?:\d{1,3}[.)]\s+|[-*#]+\s+|(?:title|url|link|snippet)\s*:\s*)+/i;
