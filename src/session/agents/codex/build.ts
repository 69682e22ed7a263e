import { asString, isObject, type JsonObject } from '#base/json.js';
import { replacedBy } from '../define.js';
import { contentOfInput, textBlock } from './items.js';
import {
  type AnswerFacts,
  answerMessage,
  countersIn,
  dynamicTools,
  messagesOf,
  replacementIn,
  resultMessage,
  summarisedItems,
  usageOf,
} from './replacement.js';
import { payloadOf } from './rows.js';

/** The type and the role of the entries of each making. */
export const FORMS = {
  declared: ['context_transform'],
  model: ['model_change'],
  effort: ['thinking_level_change'],
  answer: ['message', 'assistant'],
  result: ['message', 'toolResult'],
  user: ['message', 'user'],
  added: ['custom_message'],
  usage: ['usage'],
  replaced: ['context_transform'],
  summarised: ['context_transform'],
  name: ['session_info'],
} as const;

/** The meaning of an entry, which decides how it is built. */
export type Making = keyof typeof FORMS;

/** The facts about an entry that its lines do not contain. `text`: the effort, a tool, or a custom type. */
export interface EntryFacts extends AnswerFacts {
  readonly making: Making;
  readonly text: string;
}

/** The fields of an entry other than its type, id, parent and time, from the values of its lines. */
export function fieldsOf(facts: EntryFacts, values: readonly JsonObject[]): JsonObject {
  const [own, ...sources] = values.map(payloadOf);
  const payload = own ?? {};
  const { making, text, provider, model, time } = facts;
  switch (making) {
    case 'declared':
      return { schemaVersion: 1, transformerName: 'codex', patch: declarationsIn(payload) };
    case 'model':
      return { provider, modelId: model };
    case 'effort':
      return { thinkingLevel: text };
    case 'answer':
      return { message: answerIn([payload, ...sources], facts) };
    case 'result':
      return { message: resultMessage(payload, text, time) };
    case 'user':
      return { message: { role: 'user', content: contentOfInput(payload), timestamp: time } };
    case 'added':
      return addedInput(payload, text);
    case 'usage':
      return { kind: 'request', provider, model, usage: usageOf(countersIn(payload) ?? {}) };
    case 'replaced':
      return replacedBy(messagesOf(replacementIn(payload), facts));
    case 'summarised':
      return replacedBy(messagesOf(summarisedItems(payload, sources), facts));
    case 'name':
      return { name: payload['thread_name'] };
  }
}

/** The ops for the system prompt and the tools that a header declares. */
export function declarationsIn({
  base_instructions: base,
  dynamic_tools: declared,
}: JsonObject): readonly JsonObject[] {
  const text = isObject(base) ? asString(base['text']) : null;
  const tools = dynamicTools(declared);
  const cached = { scope: 'cached', invalidateCacheReason: 'start of the session' };
  return [
    ...(text === null ? [] : [{ op: 'system_parts_replace', ...cached, parts: [{ name: 'base_instructions', text }] }]),
    ...(tools.length === 0 ? [] : [{ op: 'tools_replace', ...cached, tools }]),
  ];
}

/** The last of the payloads may be the count of its tokens. */
function answerIn(payloads: readonly JsonObject[], facts: AnswerFacts): JsonObject {
  const last = payloads.at(-1) ?? {};
  const counters = 'usage' in last || last['type'] === 'token_count' ? countersIn(last) : null;
  if (counters === null) return answerMessage(payloads, facts);
  const responseId = asString(last['response_id']);
  const message = { ...answerMessage(payloads.slice(0, -1), facts), usage: usageOf(counters) };
  return responseId === null ? message : { ...message, responseId };
}

function addedInput(item: JsonObject, customType: string): JsonObject {
  const { author, recipient, content } = item;
  const isBetweenAgents = customType === 'inter_agent_communication';
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? null);
  const blocks = isBetweenAgents ? [textBlock(text)] : contentOfInput(item);
  const details = author === undefined && recipient === undefined ? {} : { details: { author, recipient } };
  return { customType, content: blocks, display: true, ...details };
}
