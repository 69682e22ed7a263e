import type { JsonObject } from '#base/json.js';
import type { LineSpan } from './lines.js';

/** Returns a `read` that keeps the value of a line of at least `least` bytes until it reads another such line. */
export function memoizeLongLine<Line extends LineSpan>(
  least: number,
  read: (line: Line) => JsonObject,
): (line: Line) => JsonObject {
  let last: { readonly offset: number; readonly value: JsonObject } | null = null;
  return (line) => {
    if (line.length < least) return read(line);
    if (last?.offset !== line.offset) {
      last = null;
      last = { offset: line.offset, value: read(line) };
    }
    return last.value;
  };
}
