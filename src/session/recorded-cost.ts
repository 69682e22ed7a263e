import { Buffer } from 'node:buffer';
import { asCount, isObject, type JsonObject } from '#base/json.js';
import { type Head, UNKNOWN_PLACE } from './heads/head.js';
import type { Session } from './session.js';
import { answersRequest } from './tree/turns.js';

/**
 * The recorded cost of a session, in dollars; null unless every call records one. Every branch was billed,
 * so every entry counts.
 */
export function sumRecordedCost(session: Session): number | null {
  const { heads } = session.tree;
  let sum: number | null = null;
  for (let index = 0; index < heads.length; index += 1) {
    const head = heads.usageLengthAt(index) > 0 ? heads.at(index) : undefined;
    if (!head || !isCall(head)) continue;
    const total = readTotalAtEnd(session, head) ?? readTotal(session.usage(head));
    if (total === null) return null;
    sum = (sum ?? 0) + total;
  }
  return sum;
}

/** Whether the usage of an entry belongs to a call of a model. */
function isCall(head: Head): boolean {
  if (head.type === 'message') return answersRequest(head) || head.role === 'toolResult';
  return CALLS.has(head.type);
}

/** Agents have `model_usage` for calls outside the conversation. */
const CALLS: ReadonlySet<string | null> = new Set(['compaction', 'branch_summary', 'usage', 'model_usage']);

function readTotal(usage: JsonObject | null): number | null {
  const cost = usage?.cost;
  return isObject(cost) ? asCount(cost.total) : null;
}

/** The bytes of a usage that end with its cost. */
const COST_BYTES = 256;

/** A quote within a text is escaped, so these are the keys and not words of one. */
const TOTAL = /"cost":\{[^{}]*"total":([-+.\deE]+)\}\}$/;

/** Reads the total of a usage, which Pi writes last, without parsing the rest. Null if it is not there. */
function readTotalAtEnd({ isStrict, source }: Session, head: Head): number | null {
  const { offset, usageStart, usageLength } = head;
  if (isStrict || usageStart === UNKNOWN_PLACE) return null;
  const end = offset + usageStart + usageLength;
  const { buffer, byteOffset, length } = source.read(end - Math.min(usageLength, COST_BYTES), end);
  const total = TOTAL.exec(Buffer.from(buffer, byteOffset, length).toString('latin1'))?.[1];
  return total === undefined ? null : asCount(Number(total));
}
