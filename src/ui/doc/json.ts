import { visibleJson } from '#base/visible.js';
import type { Renderer } from './define.js';
import { jsonPieces } from './json-pieces.js';

export default {
  name: 'json',
  summary: 'one JSON document',
  render: ({ data }) => [...indentedJson(data)].join(''),
  pieces: ({ data }) => indentedJson(data),
} satisfies Renderer;

/** A document as programs are given it, in pieces. */
export function indentedJson(data: unknown): Generator<string> {
  return jsonPieces(data, {
    indent: 2,
    write: (value) => JSON.stringify(value, null, 2),
    entries: Object.entries,
  });
}

/** One value on one line, for streams. */
export function jsonLine(value: unknown): string {
  return `${visibleJson(JSON.stringify(value))}\n`;
}
