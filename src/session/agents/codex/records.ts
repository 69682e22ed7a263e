import type { JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import type { AgentLines } from '../define.js';
import { readContent, type RolloutContent } from './record-content.js';

/** A line of a rollout, without its texts: what the tree of entries depends on. */
export interface RolloutRecord extends LineSpan {
  /** Its number from 0: that of its line, unless a damaged line before it has several objects. */
  readonly index: number;
  readonly part: RolloutPart;
  /** Milliseconds since 1970, NaN if unknown. */
  readonly time: number;
  readonly content: RolloutContent;
}

/** One of the files whose lines a rollout has: itself, after those that it continues. */
export interface RolloutPart {
  readonly isFirst: boolean;
  /** The record with its header; null if it has none. */
  header: RolloutRecord | null;
  /** The fields of its header, without long texts; none if it has none. */
  meta: JsonObject;
}

/** Reads all lines of a rollout, and the files that they are from, the oldest first. */
export function readRecords(lines: AgentLines): {
  readonly records: readonly RolloutRecord[];
  readonly parts: readonly [RolloutPart, ...RolloutPart[]];
} {
  const first = createPart('first');
  const parts: [RolloutPart, ...RolloutPart[]] = [first];
  const records: RolloutRecord[] = [];
  let part = first;
  let additional = 0;
  for (const line of lines) {
    while (line.offset >= (lines.parts[parts.length] ?? Infinity)) {
      part = createPart('later');
      parts.push(part);
    }
    if (records.at(-1)?.line === line.line) additional += 1;
    const { timestamp } = line.value;
    const record: RolloutRecord = {
      line: line.line,
      offset: line.offset,
      length: line.length,
      index: line.line - 1 + additional,
      part,
      time: typeof timestamp === 'string' ? parseTimestamp(timestamp) : Number.NaN,
      content: readContent(line.value),
    };
    if (record.content.kind === 'header' && part.header === null) {
      part.header = record;
      part.meta = record.content.meta;
    }
    records.push(record);
  }
  while (parts.length < lines.parts.length) parts.push(createPart('later'));
  return { records, parts };
}

function createPart(place: 'first' | 'later'): RolloutPart {
  return { isFirst: place === 'first', header: null, meta: {} };
}
