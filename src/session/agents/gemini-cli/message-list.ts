import { asObject, type JsonObject, listObjects } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildReplacement } from '../blocks.js';
import type { NewAgentEntry } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { readGeminiTime, toGeminiMessages } from './parts.js';

/** A list that replaced all messages, and its place in the tree. */
export interface MessageList {
  /** The parent of its entry. */
  readonly before: string | null;
  readonly records: readonly ListRecord[];
}

/** A record of such a list. */
export interface ListRecord {
  readonly id: unknown;
  readonly span: LineSpan;
  /** Its place in the list on its line; null if it is alone on it. */
  readonly index: number | null;
}

/** The records of a line that sets the list. */
export function listRecordsOf(line: AgentRecord, messages: readonly JsonObject[]): readonly ListRecord[] {
  const span = toLineSpan(line);
  return messages.map(({ id }, index) => ({ id, span, index }));
}

/** A record of a list, from the value of its line. */
export function pickListRecord(value: JsonObject | undefined, { index }: ListRecord): JsonObject {
  if (index === null) return value ?? {};
  return listObjects(asObject(value?.['$set'])['messages'])[index] ?? {};
}

/** Makes the entry of a list that replaces all messages. `line`: the line that locates the entry. */
export function toReplacementEntry(
  line: AgentRecord,
  records: readonly ListRecord[],
  transformerName: string,
): NewAgentEntry {
  const spans = new Map([[line.offset, toLineSpan(line)]]);
  for (const { span } of records) spans.set(span.offset, span);
  const places = new Map([...spans.keys()].map((offset, place) => [offset, place]));
  return {
    type: 'context_transform',
    lines: [...spans.values()],
    time: readGeminiTime(line.value),
    build(values) {
      const stored = records.map((record) => {
        const place = places.get(record.span.offset) ?? 0;
        return pickListRecord(values[place], record);
      });
      return buildReplacement(toGeminiMessages(stored), transformerName);
    },
  };
}
