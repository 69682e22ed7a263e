import { asString, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer, readSentRole } from '#context/replay/convert.js';
import { isSameTarget, readTarget } from '#context/request/wire-messages.js';
import { toBlocks } from '#context/words/message-blocks.js';
import { isBlankText } from './payload.js';
import type { Recipient } from './recipient.js';

/** A message of a request to a certain model, without blocks that no provider knows. */
export type PreparedMessage =
  | { readonly role: 'user'; readonly sentAs: string; readonly content: string | readonly JsonObject[] }
  | { readonly role: 'assistant'; readonly content: readonly JsonObject[]; readonly message: LlmMessage }
  | PreparedResult;

export interface PreparedResult {
  readonly role: 'toolResult';
  /** undefined if none is recorded. No API accepts that, but an invented id would hide the problem. */
  readonly toolCallId: string | undefined;
  readonly toolName: string;
  readonly isError: unknown;
  readonly content: readonly JsonObject[];
}

/** Results that follow one another. */
interface ReadyResults {
  readonly role: 'toolResults';
  readonly results: readonly PreparedResult[];
}

/** Messages in their order, with results that follow one another put together. */
export function* groupResults(
  messages: readonly PreparedMessage[],
): Generator<Exclude<PreparedMessage, PreparedResult> | ReadyResults> {
  let results: PreparedResult[] = [];
  for (const message of messages) {
    if (message.role === 'toolResult') results.push(message);
    else {
      if (results.length > 0) yield { role: 'toolResults', results };
      results = [];
      yield message;
    }
  }
  if (results.length > 0) yield { role: 'toolResults', results };
}

/** The form in which an API accepts the call id of another model. */
export type ToCallId = (id: string, message: LlmMessage) => string;

/**
 * Prepares messages for any API, as Pi does: drops failed answers, adds a result to calls without one, drops the thinking
 * and signatures of other models, and rewrites the ids of their calls to fit this model.
 */
export function prepareMessages(
  messages: readonly LlmMessage[],
  recipient: Recipient,
  toCallId: ToCallId,
): readonly PreparedMessage[] {
  const prepared: PreparedMessage[] = [];
  const ids = new Map<string, string>();
  let open: readonly JsonObject[] = [];
  let answered = new Set<unknown>();
  const closeCalls = (): void => {
    const missing = open.filter((call) => !answered.has(call.id));
    prepared.push(...missing.map(createMissingResult));
    open = [];
    answered = new Set();
  };
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const result = toResult(message, ids);
      answered.add(result.toolCallId);
      prepared.push(result);
      continue;
    }
    closeCalls();
    if (message.role === 'user')
      prepared.push({ role: 'user', sentAs: readSentRole(message), content: toUserContent(message.content) });
    else {
      const content = toAnswerContent(message, recipient, toCallId, ids);
      if (isFailedAnswer(message)) continue;
      open = content.filter(({ type }) => type === 'toolCall');
      prepared.push({ role: 'assistant', content, message });
    }
  }
  closeCalls();
  return prepared;
}

function toResult(message: LlmMessage, ids: ReadonlyMap<string, string>): PreparedResult {
  const { toolCallId, toolName, isError, content } = message;
  const id = asString(toolCallId) ?? undefined;
  return {
    role: 'toolResult',
    toolCallId: ids.get(id ?? '') ?? id,
    toolName: asString(toolName) ?? '',
    isError,
    content: toBlocks(content).filter(isTextOrImage),
  };
}

function createMissingResult({ id, name }: JsonObject): PreparedResult {
  const content = [{ type: 'text', text: 'No result provided' }];
  return {
    role: 'toolResult',
    toolCallId: asString(id) ?? undefined,
    toolName: asString(name) ?? '',
    isError: true,
    content,
  };
}

function toUserContent(content: unknown): string | readonly JsonObject[] {
  return typeof content === 'string' ? content : toBlocks(content).filter(isTextOrImage);
}

function isTextOrImage({ type }: JsonObject): boolean {
  return type === 'text' || type === 'image';
}

/** The blocks of an answer that the recipient takes. `ids` gets the new ids of calls by the old ones. */
function toAnswerContent(
  message: LlmMessage,
  recipient: Recipient,
  toCallId: ToCallId,
  ids: Map<string, string>,
): readonly JsonObject[] {
  const isOwn = isSameTarget(readTarget(message), recipient);
  return toBlocks(message.content).flatMap((block): readonly JsonObject[] => {
    switch (block.type) {
      case 'thinking':
        return isOwn && isWorthSending(block) ? [block] : [];
      case 'text':
        return [isOwn ? block : { type: 'text', text: block.text }];
      case 'toolCall': {
        if (isOwn) return [block];
        const { thoughtSignature: _, ...call } = block;
        const id = asString(block.id);
        if (id === null) return [call];
        const fit = toCallId(id, message);
        if (fit !== id) ids.set(id, fit);
        return [{ ...call, id: fit }];
      }
      default:
        return [];
    }
  });
}

function isWorthSending({ redacted, thinking, thinkingSignature }: JsonObject): boolean {
  return Boolean(redacted) || Boolean(thinkingSignature) || !isBlankText(thinking);
}
