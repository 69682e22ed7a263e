import { toOneLine, truncateText } from '#analysis/facts/text.js';
import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { ToolKind } from './tool-kinds.js';

/** The part of a long text that stays. */
export interface Excerpt {
  /** A description in a few words: `First 10 of 400 lines`. */
  readonly what: string;
  readonly text: string;
}

export interface ExcerptSize {
  /** In UTF-16 code units. */
  readonly characters: number;
  /** Results of a search, or lines. */
  readonly lines: number;
  /** The number of lines taken from the end. */
  readonly tail: number;
}

/** The most informative part of a tool's result, within the size. `json` is the size for the fields of JSON. */
export function buildExcerpt(kind: ToolKind, text: string, size: ExcerptSize, json: ExcerptSize = size): Excerpt {
  const value = kind === 'read' ? null : readJsonText(text);
  const hits = kind === 'search' ? readSearchHits(text) : null;
  if (hits) return topOf(hits, size);
  if (value) return { what: 'Key fields', text: taken(describeShape(value), json.characters, MOST_FIELDS).join('\n') };
  const lines = text.trimEnd().split(/\r?\n/);
  if (kind === 'search') {
    const said = lines.filter((line) => line.trim() !== '');
    return beginning(said, size, size.lines * LINES_PER_RESULT);
  }
  // Few lines that are long are cut inside.
  if (lines.length * LONGEST_LINE < size.characters) return endsOf(text, size.characters);
  return size.tail === 0 ? beginning(lines, size, size.lines) : bothEnds(lines, size);
}

const MOST_FIELDS = 60;
const LONGEST_LINE = 200;
/** A result of a search on the web has a title, an address and a snippet; one of `grep` is a line. */
const LINES_PER_RESULT = 4;

function topOf(hits: readonly SearchHit[], { characters, lines }: ExcerptSize): Excerpt {
  const shown = hits.map(({ title, about }, at) => `${at + 1}. ${[title, ...about].join(' - ')}`);
  const top = taken(shown, characters, lines, Math.max(LONGEST_LINE, Math.floor(characters / lines)));
  return {
    what: `Found ${hits.length} ${hits.length === 1 ? 'result' : 'results'}. Top ${top.length}`,
    text: top.join('\n'),
  };
}

function beginning(lines: readonly string[], { characters }: ExcerptSize, most: number): Excerpt {
  const head = taken(lines, characters, most);
  const notice = NOTICE.test(lines.at(-1) ?? '') && head.length < lines.length ? [lines.at(-1) ?? ''] : [];
  return { what: `First ${head.length} of ${lines.length} lines`, text: [...head, ...notice].join('\n') };
}

/** The note that a tool writes below a result that it has cut off. */
const NOTICE = /^\[.{1,198}\]$/;

/** The characters are shared as the lines are. */
function bothEnds(lines: readonly string[], { characters, lines: most, tail: mostOfEnd }: ExcerptSize): Excerpt {
  const share = mostOfEnd / most;
  const head = taken(lines, characters * (1 - share), most - mostOfEnd);
  const rest = lines.slice(Math.max(head.length, lines.length - mostOfEnd));
  const tail = taken(rest.toReversed(), characters * share, mostOfEnd).toReversed();
  const between = lines.length - head.length - tail.length;
  const gap = between > 0 ? [`[${between} lines]`] : [];
  return {
    what: `First ${head.length} and last ${tail.length} of ${lines.length} lines`,
    text: [...head, ...gap, ...tail].join('\n'),
  };
}

/** Lines as long as there is room, each cut where it is very long. */
function taken(
  lines: Iterable<string>,
  most: number,
  mostLines: number,
  longestLine: number = LONGEST_LINE,
): readonly string[] {
  const found: string[] = [];
  let room = most;
  for (const line of lines) {
    const short = truncateText(line, longestLine);
    room -= short.length + 1;
    if (room < 0 || found.length === mostLines) break;
    found.push(short);
  }
  return found;
}

function endsOf(text: string, most: number): Excerpt {
  const half = Math.floor(most / 2);
  const head = text.slice(0, isLow(text, half) ? half - 1 : half);
  const from = text.length - half;
  const tail = text.slice(isLow(text, from) ? from + 1 : from);
  return {
    what: `First ${head.length} and last ${tail.length} of ${text.length} characters`,
    text: `${head}\n[${text.length - head.length - tail.length} characters]\n${tail}`,
  };
}

/** Whether a cut there would part the halves of a character. */
function isLow(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(at));
}

/**
 * The shape of a value, one line per field: short values as they are, and the size of longer ones. Fields near the top
 * come first, and a list shows only its first item. The caller stops when it has enough.
 */
export function* describeShape(value: unknown): Generator<string> {
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
    for (const [key, field] of Object.entries(value).slice(0, MOST_SHAPE_FIELDS))
      yield [path === '' ? named(key) : `${path}.${named(key)}`, field];
  }
}

const MOST_SHAPE_FIELDS = 100;

function named(key: string): string {
  return /^[\w$-]{1,40}$/.test(key) ? key : JSON.stringify(truncateText(key, 40));
}

function sizeOrValue(value: unknown): string {
  if (Array.isArray(value)) return `: ${value.length} items`;
  if (isObject(value)) return `: ${Object.keys(value).length} fields`;
  if (typeof value === 'string' && value.length > LONGEST_VALUE) return `: text of ${value.length} characters`;
  return ` = ${JSON.stringify(value)}`;
}

const LONGEST_VALUE = 80;

interface SearchHit {
  readonly title: string;
  /** Its address and its snippet, as far as it has them. */
  readonly about: readonly string[];
}

/** The results of a search, in its order, from a list in JSON or from paragraphs of text; null for any other text. */
export function readSearchHits(text: string): readonly SearchHit[] | null {
  const json = readJsonText(text);
  return json ? hitsIn(json) : hitsOfParagraphs(text);
}

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

/** The first list of results in a value, looked for level by level. */
function hitsIn(value: JsonObject | readonly unknown[]): readonly SearchHit[] | null {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    for (const each of level) {
      const hits = Array.isArray(each) ? hitsOfList(each) : [];
      if (hits.length > 0) return hits;
    }
    level = level.flatMap((each) => (isObject(each) ? Object.values(each).slice(0, MOST_FIELDS_SEARCHED) : []));
  }
  return null;
}

/** Services wrap the list once or twice: `web.results`, `data.items.results`. */
const DEEPEST = 3;
const MOST_FIELDS_SEARCHED = 100;

function hitsOfList(list: readonly unknown[]): readonly SearchHit[] {
  const texts = list.flatMap((each) => asString(each) ?? []);
  if (texts.length === list.length) return texts.map((text) => ({ title: shortField(text), about: [] }));
  return listObjects(list).flatMap((hit) => hitOf(hit) ?? []);
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
  return found ? [shortField(found)] : [];
}

function shortField(text: string): string {
  return truncateText(toOneLine(text), LONGEST_FIELD);
}

const LONGEST_FIELD = 240;

/** Paragraphs of several lines, the first being the title. */
function hitsOfParagraphs(text: string): readonly SearchHit[] | null {
  const paragraphs = text.trim().split(/\n\s*\n/);
  const hits = paragraphs.map((paragraph) => paragraph.split('\n').map((line) => shortField(line.replace(MARK, ''))));
  if (hits.length < 2 || hits.filter((lines) => lines.length > 1).length < hits.length / 2) return null;
  return hits.map(([title = '', ...about]) => ({ title, about }));
}

/** The mark in front of a title or an address. */
const MARK = /^\s*(?:\d{1,3}[.)]\s+|[-*#]+\s+|(?:title|url|link|snippet)\s*:\s*)+/i;
