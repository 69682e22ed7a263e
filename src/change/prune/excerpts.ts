import { cut, oneLine } from '#analysis/facts/text.js';
import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { ToolKind } from './tool-kinds.js';

/** The part of a long text that stays. */
export interface Excerpt {
  /** A description in a few words: `the first 10 lines follow`. */
  readonly what: string;
  readonly text: string;
}

/** The most informative part of a tool's result, in about `most` UTF-16 code units. */
export function excerptOf(kind: ToolKind, text: string, most: number): Excerpt {
  const json = kind === 'read' ? null : jsonIn(text);
  const lines = linesOf(text);
  if (kind === 'search') {
    const hits = (json && hitsIn(json)) ?? (json ? null : lines.filter((line) => line.trim() !== ''));
    if (hits) return beginning(hits, { most, lines: MOST_HITS, of: 'entries' });
  }
  if (json) return { what: 'its key fields follow', text: taken(shapeOf(json), most, MOST_FIELDS).join('\n') };
  // Few lines that are long are cut inside.
  if (lines.length * LONGEST_LINE < most) return endsOf(text, most);
  if (kind === 'read') return beginning(lines, { most, lines: MOST_OF_FILE, of: 'lines' });
  return kind === 'command' ? bothEnds(lines, most, OF_COMMAND) : bothEnds(lines, most, OF_OTHERS);
}

const MOST_HITS = 20;
const MOST_FIELDS = 60;
const MOST_OF_FILE = 10;
const LONGEST_LINE = 200;

/** Which share of what stays is the beginning. What a command has to say it says at the end. */
const OF_COMMAND = { share: 1 / 3, head: 10, tail: 40 };
const OF_OTHERS = { share: 1 / 2, head: 20, tail: 20 };

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split(/\r?\n/);
}

interface Limits {
  readonly most: number;
  readonly lines: number;
  readonly of: string;
}

function beginning(lines: readonly string[], limits: Limits): Excerpt {
  const head = taken(lines, limits.most, limits.lines);
  const notice = NOTICE.test(lines.at(-1) ?? '') && head.length < lines.length ? [lines.at(-1) ?? ''] : [];
  return {
    what: `the first ${head.length} of ${lines.length} ${limits.of} follow`,
    text: [...head, ...notice].join('\n'),
  };
}

/** The note that a tool writes below a result that it has cut off. */
const NOTICE = /^\[.{1,198}\]$/;

function bothEnds(lines: readonly string[], most: number, limits: typeof OF_COMMAND): Excerpt {
  const head = taken(lines, most * limits.share, limits.head);
  const rest = lines.slice(Math.max(head.length, lines.length - limits.tail));
  const tail = taken(rest.toReversed(), most * (1 - limits.share), limits.tail).toReversed();
  const between = lines.length - head.length - tail.length;
  const gap = between > 0 ? [`[${between} lines]`] : [];
  return {
    what: `the first ${head.length} and the last ${tail.length} lines follow`,
    text: [...head, ...gap, ...tail].join('\n'),
  };
}

/** Lines as long as there is room, each cut where it is very long. */
function taken(lines: Iterable<string>, most: number, mostLines: number): readonly string[] {
  const found: string[] = [];
  let room = most;
  for (const line of lines) {
    const short = cut(line, LONGEST_LINE);
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
    what: `the first ${head.length} and the last ${tail.length} characters follow`,
    text: `${head}\n[${text.length - head.length - tail.length} characters]\n${tail}`,
  };
}

/** Whether a cut there would part the halves of a character. */
function isLow(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(at));
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

/**
 * The shape of a value, one line per field: short values as they are, and the size of longer ones. Fields near the top
 * come first, and a list shows only its first item. The caller stops when it has enough.
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
    for (const [key, field] of Object.entries(value).slice(0, MOST_SHAPE_FIELDS))
      yield [path === '' ? named(key) : `${path}.${named(key)}`, field];
  }
}

const MOST_SHAPE_FIELDS = 100;

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

/** The fields of a hit that a reader needs; services name them in different ways. */
const HIT_FIELDS: readonly (readonly string[])[] = [
  ['title', 'name', 'path', 'file'],
  ['url', 'link', 'href'],
  ['snippet', 'description', 'summary', 'text', 'content'],
];

function fieldIn(hit: JsonObject, names: readonly string[]): readonly string[] {
  const found = names.map((name) => asString(hit[name])).find((text) => text !== null && text !== '');
  return found ? [cut(oneLine(found), 160)] : [];
}
