import { asString, type JsonObject, objectsIn } from '#base/json.js';
import { timeOf } from '#base/time.js';
import {
  answerMessage,
  blocksOf,
  callBlock,
  isErrorResponse,
  partsOf,
  resultBlocks,
  thoughtBlocks,
  usageOf,
} from './parts.js';

/** The role of a record; null if it is only shown to the user. */
export function roleOf({ type }: JsonObject): 'user' | 'assistant' | null {
  if (type === 'user') return 'user';
  return type === 'gemini' || type === 'model' ? 'assistant' : null;
}

export function timeOfRecord({ timestamp }: JsonObject): number {
  return timeOf(timestamp ?? Number.NaN);
}

/** The message of a record, without the results of its calls. */
export function messageOf(record: JsonObject): JsonObject {
  const [time, parts] = [timeOfRecord(record), partsOf(record['content'] ?? record['parts'])];
  const text = blocksOf(parts, (index) => callIdAt(record, index));
  if (roleOf(record) === 'user') return { role: 'user', content: text, timestamp: time };
  const calls = callsOf(record).map((call, index) => callBlock(call, callIdAt(record, index)));
  const message = answerMessage([...thoughtBlocks(record['thoughts']), ...text, ...calls], modelOf(record), time);
  const usage = countsOf(record);
  return usage === null ? message : { ...message, usage };
}

export function modelOf({ model }: JsonObject): string | null {
  return asString(model);
}

/** The usage of the request that a record answers; null if it has none. */
export function countsOf({ tokens }: JsonObject): JsonObject | null {
  const [counts] = objectsIn([tokens]);
  const { input: prompt, output: answer, cached, thoughts, total } = counts ?? {};
  return usageOf({ prompt, cached, answer, thoughts, total });
}

export function callsOf({ toolCalls }: JsonObject): readonly JsonObject[] {
  return objectsIn(toolCalls);
}

/** Whether a call of a record has a result. */
export function hasResult(call: JsonObject): boolean {
  return partsOf(call['result']).length > 0;
}

/** The result of a call as a message. */
export function resultOf(record: JsonObject, index: number): JsonObject {
  const call = callsOf(record)[index] ?? {};
  const parts = partsOf(call['result']);
  const { id: toolCallId, name: toolName } = callBlock(call, callIdAt(record, index));
  const isError = call['status'] === 'error' || isErrorResponse(parts);
  const timestamp = timeOfRecord('timestamp' in call ? call : record);
  return { role: 'toolResult', toolCallId, toolName, content: resultBlocks(parts), isError, timestamp };
}

function callIdAt({ id }: JsonObject, index: number): string {
  return `${asString(id) ?? ''}-${index}`;
}

/** All messages of a list of records. */
export function messagesOf(records: readonly JsonObject[]): readonly JsonObject[] {
  return records.flatMap((record) => {
    if (roleOf(record) === null) return [];
    const results = callsOf(record).flatMap((call, index) => (hasResult(call) ? [resultOf(record, index)] : []));
    return [messageOf(record), ...results];
  });
}
