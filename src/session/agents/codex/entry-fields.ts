import { asString, isObject, type JsonObject } from '#base/json.js';
import { buildReplacement, toTextBlock } from '../blocks.js';
import type { CodexEntryForm } from './entry-forms.js';
import { toInputContent, toSentRole } from './items.js';
import {
  type AnswerOrigin,
  buildCodexAnswer,
  buildCodexResult,
  buildSummarisedItems,
  deriveUsage,
  findCounters,
  listDynamicTools,
  listReplacement,
  toCodexMessages,
  toCodexUsage,
} from './messages.js';
import { buildAbortedResult, type LaterItems, pairItems } from './paired-items.js';
import { payloadOf } from './record-payload.js';

/** Values of an entry that its lines do not contain. `text`: the effort, a tool, or a custom type. */
interface EntryDetails extends AnswerOrigin {
  readonly form: CodexEntryForm;
  readonly text: string;
  /** The items after the record of the entry. */
  readonly later: LaterItems;
}

/** The fields of an entry other than its type, id, parent and time, from the values of its lines. */
export function buildEntryFields(details: EntryDetails, values: readonly JsonObject[]): JsonObject {
  const [own, ...sources] = values.map(payloadOf);
  const payload = own ?? {};
  const { form, text, provider, model, time } = details;
  switch (form) {
    case 'declared':
      return { schemaVersion: 1, transformerName: 'codex', patch: listDeclarations(payload) };
    case 'model':
      return { provider, modelId: model };
    case 'effort':
      return { thinkingLevel: text };
    case 'answer':
      return { message: buildCountedAnswer([payload, ...sources], details) };
    case 'interrupted': {
      const items = [payload, ...sources.slice(0, -2)];
      const usage = deriveUsage(sources.slice(-2));
      return { message: { ...buildCodexAnswer(items, details), usage } };
    }
    case 'result':
      return { message: buildCodexResult(payload, text, time) };
    case 'orphan':
      return { customType: 'codex:orphan-result', data: payload };
    case 'aborted':
      return { message: buildCodexResult(buildAbortedResult(payload), text, time) };
    case 'user':
      return { message: { role: 'user', content: toInputContent(payload), timestamp: time } };
    case 'added':
    case 'sent':
      return buildInputFields(payload, text);
    case 'usage':
      return { kind: 'request', provider, model, usage: toCodexUsage(findCounters(payload) ?? {}) };
    case 'derived':
      return { kind: 'request', provider, model, usage: deriveUsage(sources.slice(-2)) };
    case 'replaced':
      return buildReplacement(toCodexMessages(pairItems(listReplacement(payload), details.later), details));
    case 'summarised':
      return buildReplacement(toCodexMessages(buildSummarisedItems(payload, sources), details));
    case 'name':
      return { name: payload['thread_name'] };
  }
}

/** The ops for the system prompt and the tools that a header declares. */
export function listDeclarations({
  base_instructions: base,
  dynamic_tools: declared,
}: JsonObject): readonly JsonObject[] {
  const text = isObject(base) ? asString(base['text']) : null;
  const tools = listDynamicTools(declared);
  const cached = { scope: 'cached', invalidateCacheReason: 'start of the session' };
  return [
    ...(text === null ? [] : [{ op: 'system_parts_replace', ...cached, parts: [{ name: 'base_instructions', text }] }]),
    ...(tools.length === 0 ? [] : [{ op: 'tools_replace', ...cached, tools }]),
  ];
}

/** One of the payloads may be the count of its tokens: mostly the last one. */
function buildCountedAnswer(payloads: readonly JsonObject[], origin: AnswerOrigin): JsonObject {
  const count = payloads.find((payload) => findCounters(payload) !== null);
  if (count === undefined) return buildCodexAnswer(payloads, origin);
  const responseId = asString(count['response_id']);
  const items = payloads.filter((payload) => payload !== count);
  const message = { ...buildCodexAnswer(items, origin), usage: toCodexUsage(findCounters(count) ?? {}) };
  return responseId === null ? message : { ...message, responseId };
}

function buildInputFields(item: JsonObject, customType: string): JsonObject {
  const { author, recipient, content } = item;
  const isBetweenAgents = customType === 'inter_agent_communication';
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? null);
  const blocks = isBetweenAgents ? [toTextBlock(text)] : toInputContent(item);
  const details = author === undefined && recipient === undefined ? {} : { details: { author, recipient } };
  return { customType, content: blocks, display: true, ...details, ...toSentRole(item) };
}
