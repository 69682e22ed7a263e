import type { Renderer } from './define.js';
import { visibleJson } from './visible.js';

export default {
  name: 'json',
  summary: 'one JSON document',
  render: ({ data }) => `${visibleJson(JSON.stringify(data, null, 2))}\n`,
} satisfies Renderer;

/** One value on one line, for streams. */
export function jsonLine(value: unknown): string {
  return `${visibleJson(JSON.stringify(value))}\n`;
}
