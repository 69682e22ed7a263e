import { batchItems } from '#base/batches.js';
import { toVisibleJson } from '#base/visible.js';
import type { Renderer, View } from './renderer.js';

export default {
  name: 'json',
  summary: 'one JSON document, indented on a terminal',
  render: (report, view) => [...renderJson(report.data, view)].join(''),
  pieces: ({ data }, view) => renderJson(data, view),
} satisfies Renderer;

/** A document in pieces: indented for people on a terminal, on one line for programs, which is a third shorter. */
export function renderJson(data: unknown, { isTerminal }: Pick<View, 'isTerminal'>): Generator<string> {
  return isTerminal ? renderIndentedJson(data) : renderJsonLine(data);
}

/** A document on one line, in pieces. */
export function renderJsonLine(data: unknown): Generator<string> {
  return renderJsonPieces(data, { indent: 0, write: JSON.stringify, entries: Object.entries });
}

/** A document with an indent of two spaces, in pieces. */
function renderIndentedJson(data: unknown): Generator<string> {
  return renderJsonPieces(data, {
    indent: 2,
    write: (value) => JSON.stringify(value, null, 2),
    entries: Object.entries,
  });
}

/** One value on one line, for streams. */
export function formatJsonLine(value: unknown): string {
  return `${toVisibleJson(JSON.stringify(value))}\n`;
}

interface JsonLayout {
  /** Spaces for each level; 0: all is on one line. */
  readonly indent: 0 | 2;
  /** Writes a whole value as if it were at the top level. */
  write(value: unknown): string | undefined;
  /** The order of the members of an object. */
  entries(value: object): readonly (readonly [string, unknown])[];
  /** The level below which objects and lists are written whole; 3 is the default. */
  readonly deepest?: number;
}

/** The level of a message of an envelope, or of an item of a report. */
const DEEPEST = 3;
const CHARACTERS_AT_ONCE = 1 << 16;
const ITEMS_AT_ONCE = 1 << 10;

/**
 * JSON text in pieces, ending with a newline: the text of a large value is never whole in memory. Any iterable object is a
 * list.
 */
export function* renderJsonPieces(value: unknown, layout: JsonLayout): Generator<string> {
  let piece = '';
  for (const part of renderParts(value, layout, 0)) {
    piece += part;
    if (piece.length < CHARACTERS_AT_ONCE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

function* renderParts(value: unknown, layout: JsonLayout, level: number): Generator<string> {
  const newline = layout.indent === 0 ? '' : `\n${' '.repeat(layout.indent * level)}`;
  const [open, close] = isIterable(value) ? '[]' : '{}';
  let before = open;
  for (const [key, member] of level < (layout.deepest ?? DEEPEST) ? listMembers(value, layout) : []) {
    yield `${before}${newline}${' '.repeat(layout.indent)}${key}`;
    yield* renderParts(member, layout, level + 1);
    before = ',';
  }
  if (before === ',') yield `${newline}${close}`;
  // No text of JSON holds a newline of its own.
  else for (const text of renderWhole(value, layout)) yield toVisibleJson(text.replaceAll('\n', newline));
}

/** A value as a whole; a list on one line in parts, since a column may have a million numbers. */
function* renderWhole(value: unknown, { indent, write }: JsonLayout): Generator<string> {
  if (!isIterable(value) || indent !== 0) {
    yield write(isIterable(value) ? [...value] : value) ?? 'null';
    return;
  }
  let before = '[';
  for (const items of batchItems(value, ITEMS_AT_ONCE)) {
    yield `${before}${write(items)?.slice(1, -1)}`;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** The members of a list or an object, each with the text that precedes it. */
function* listMembers(value: unknown, layout: JsonLayout): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return;
  if (isIterable(value)) {
    for (const item of value) yield ['', item];
    return;
  }
  const colon = layout.indent === 0 ? ':' : ': ';
  for (const [key, member] of layout.entries(value)) {
    const isWritten = member !== undefined && typeof member !== 'function' && typeof member !== 'symbol';
    if (isWritten) yield [`${toVisibleJson(JSON.stringify(key))}${colon}`, member];
  }
}
