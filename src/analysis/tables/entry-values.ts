import { asObject, asString, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import {
  type CountedBlock,
  countPartTokens,
  countToolTokens,
  textTokensOf,
  weighBlocks,
} from '#context/size/tokens.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { type Entry, type StoredMessage, toMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { EntryContents } from '../stats/entry-contents.js';
import type { RowOf } from './define.js';
import type { messagesTable } from './messages-table.js';

/** The nearest integer to a count, since files may contain any number. */
export function toWhole(count: number): number {
  const most = Number.MAX_SAFE_INTEGER;
  return Math.max(-most, Math.min(most, Math.round(count)));
}

export function toWholeOrNull(count: number | null | undefined): number | null {
  return count === null || count === undefined || Number.isNaN(count) ? null : toWhole(count);
}

/** The last time that a Date can represent. */
const LAST_TIME = 8.64e15;

/** null for a time outside the calendar. */
export function toCalendarTime(milliseconds: number): number | null {
  return Math.abs(milliseconds) <= LAST_TIME ? Math.trunc(milliseconds) : null;
}

type Row = Partial<RowOf<typeof messagesTable>>;

/** The message of an entry that may be read in part, without its type. */
export function readEntryMessagePart(entry: Entry): StoredMessage {
  return toMessage(asObject(entry.message));
}

/** The model of an answer, and its stop reason. */
export function readAnswerValues(head: Head, entry: Entry) {
  const { provider, model, stopReason, errorMessage } = answersRequest(head) ? readEntryMessagePart(entry) : NO_FIELDS;
  return {
    provider: asString(provider),
    model: asString(model),
    stop_reason: asString(stopReason),
    error: asString(errorMessage),
  } satisfies Row;
}

/** The call that a tool result answers. */
export function readResultValues(head: Head, entry: Entry) {
  const isResult = head.role === 'toolResult';
  const { toolName, toolCallId, isError } = isResult ? readEntryMessagePart(entry) : NO_FIELDS;
  return {
    tool_name: asString(toolName),
    tool_call_id: asString(toolCallId),
    is_error: isResult ? isError === true : null,
  } satisfies Row;
}

export const NO_FIELDS: StoredMessage = {};

export type ContentTokens = ReturnType<typeof countContentTokens>;

/** The tokens of an entry's contents, counted as `ctx stats` does. */
export function countContentTokens(
  { message, parts, tools }: EntryContents,
  blocks: (message: LlmMessage) => readonly CountedBlock[],
) {
  const system = countPartTokens(parts);
  const definitions = countToolTokens(tools);
  const weight = weighBlocks(message ? blocks(message) : []);
  return {
    tokens_estimated: system + definitions + weight.tokens,
    text_tokens_estimated: textTokensOf(weight),
    thinking_tokens_estimated: weight.thinking,
    tool_call_tokens_estimated: weight.calls,
    image_tokens_estimated: weight.images,
    system_tokens_estimated: system,
    tool_definition_tokens_estimated: definitions,
  } satisfies Row;
}

export function readContentTexts({ message, parts }: EntryContents) {
  const blocks = message ? listBlocks(message) : [];
  const ofType = (name: string): readonly JsonObject[] => blocks.filter(({ type }) => type === name);
  const texts = message ? ofType('text') : parts;
  return {
    text: joinTexts(texts.map(({ text }) => text)),
    thinking: joinTexts(ofType('thinking').map(({ thinking }) => thinking)),
    tool_calls: ofType('toolCall').length,
    images: ofType('image').length,
  } satisfies Row;
}

function joinTexts(texts: readonly unknown[]): string {
  return texts.map((text) => asString(text) ?? '').join('\n');
}

/** The name of the agent that wrote a session. */
export function nameAgent({ agent }: Pick<Session, 'agent'>): string {
  return agent?.name ?? 'pi';
}
