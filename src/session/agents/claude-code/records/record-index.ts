import { NONE } from '../../../heads/id-index.js';
import { isTruthy, textNumberOf } from '../../../scan/field-layout.js';
import type { LineFields } from '../../../scan/line-fields.js';
import { CLAUDE_FIELD, isChainType, RECORD_TYPE } from './fields.js';
import type { MessageBlocks } from './message-blocks.js';

/** The records of the chain: the lines with a place in the tree. A record is the number of its line, from 0. */
export interface RecordIndex {
  /** All records. Of those with one uuid, the last line is one, at the place of the first. */
  readonly order: Int32Array;
  /** The place of each record in that order. */
  readonly places: Int32Array;
  /** The type of the record of each line; 0 for all other lines. */
  readonly types: Uint8Array;
  /** The record of each uuid, plus one. */
  readonly byUuid: Int32Array;
  /** The lines that may contain more than a message or progress. */
  readonly others: readonly number[];
}

/**
 * Finds the records of a file, and notes the names of the tools that they call. Reads the words of the fields itself,
 * since it runs once, over tens of thousands of lines.
 */
export function indexRecords(fields: LineFields, blocks: MessageBlocks): RecordIndex {
  const { words, recordWords, length } = fields;
  const types = new Uint8Array(length);
  const places = new Int32Array(length);
  const byUuid = new Int32Array(fields.texts + 1);
  const others: number[] = [];
  const order = new Int32Array(length);
  let count = 0;
  for (let line = 0, at = 0; line < length; line += 1, at += recordWords) {
    const type = textNumberOf(words[at + CLAUDE_FIELD.type] ?? 0);
    const uuid = textNumberOf(words[at + CLAUDE_FIELD.uuid] ?? 0);
    const isRecord = isChainType(type) && uuid !== 0;
    const isAttached = words[at + CLAUDE_FIELD.attachmentObject] !== 0 || words[at + CLAUDE_FIELD.rendered] !== 0;
    if (!isRecord || type === RECORD_TYPE.system || isAttached) others.push(line);
    if (!isRecord) continue;
    const before = (byUuid[uuid] ?? 0) - 1;
    let place = count;
    if (before === NONE) count += 1;
    else {
      place = places[before] ?? 0;
      types[before] = 0;
    }
    // The client shows a virtual message, such as a call within a script, and does not send it.
    const canBeVirtual = type === RECORD_TYPE.user || type === RECORD_TYPE.assistant;
    const isVirtual = canBeVirtual && isTruthy(words[at + CLAUDE_FIELD.isVirtual] ?? 0);
    types[line] = isVirtual ? RECORD_TYPE.progress : type;
    places[line] = place;
    order[place] = line;
    byUuid[uuid] = line + 1;
    if (types[line] === RECORD_TYPE.assistant) blocks.noteToolNames(line);
  }
  return { order: order.subarray(0, count), places, types, byUuid, others };
}
