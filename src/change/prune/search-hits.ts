import { toOneLine, truncateText } from '#analysis/facts/text.js';
import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { readJsonText } from './json-shape.js';

export interface SearchHit {
  readonly title: string;
  /** The address and the snippet of a hit, if it has them. */
  readonly about: readonly string[];
}

/** The results of a search, in its order, from a list in JSON or from paragraphs of text; null for any other text. */
export function readSearchHits(text: string): readonly SearchHit[] | null {
  const json = readJsonText(text);
  return json ? findHits(json) : readParagraphs(text);
}

/** The first list of results in a value, looked for level by level. */
function findHits(value: JsonObject | readonly unknown[]): readonly SearchHit[] | null {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    for (const each of level) {
      const hits = Array.isArray(each) ? readHits(each) : [];
      if (hits.length > 0) return hits;
    }
    level = level.flatMap((each) => (isObject(each) ? Object.values(each).slice(0, MOST_FIELDS_SEARCHED) : []));
  }
  return null;
}

/** Services wrap the list once or twice: `web.results`, `data.items.results`. */
const DEEPEST = 3;

const MOST_FIELDS_SEARCHED = 100;

function readHits(list: readonly unknown[]): readonly SearchHit[] {
  const texts = list.flatMap((each) => asString(each) ?? []);
  if (texts.length === list.length) return texts.map((text) => ({ title: shortenField(text), about: [] }));
  return listObjects(list).flatMap((hit) => readHit(hit) ?? []);
}

function readHit(hit: JsonObject): SearchHit | null {
  const [title, ...about] = HIT_FIELDS.flatMap((names) => readField(hit, names));
  return title === undefined ? null : { title, about };
}

/** The fields of a result that a reader needs; services name them in different ways. */
const HIT_FIELDS: readonly (readonly string[])[] = [
  ['title', 'name', 'path', 'file'],
  ['url', 'link', 'href'],
  ['snippet', 'description', 'summary', 'text', 'content'],
];

function readField(hit: JsonObject, names: readonly string[]): readonly string[] {
  const found = names.map((name) => asString(hit[name])).find((text) => text !== null && text !== '');
  return found ? [shortenField(found)] : [];
}

function shortenField(text: string): string {
  return truncateText(toOneLine(text), LONGEST_FIELD);
}

const LONGEST_FIELD = 240;

/** Paragraphs of several lines, the first being the title. */
function readParagraphs(text: string): readonly SearchHit[] | null {
  const paragraphs = text.trim().split(/\n\s*\n/);
  const hits = paragraphs.map((paragraph) => paragraph.split('\n').map((line) => shortenField(line.replace(MARK, ''))));
  if (hits.length < 2 || hits.filter((lines) => lines.length > 1).length < hits.length / 2) return null;
  return hits.map(([title = '', ...about]) => ({ title, about }));
}

/** The mark in front of a title or an address. */
const MARK = /^\s*(?:\d{1,3}[.)]\s+|[-*#]+\s+|(?:title|url|link|snippet)\s*:\s*)+/i;
