import { asObject, asString, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { BY_CHARACTERS, type CountedBlock } from '#context/size/tokens.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { EntryContents } from '../stats/entry-contents.js';
import { addContents, buildEmptyBreakdown } from '../stats/token-breakdown.js';
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

export function entryMessageOf(entry: JsonObject): JsonObject {
  return asObject(entry['message']);
}

/** The model of an answer, and its stop reason. */
export function readAnswerValues(head: Head, entry: JsonObject) {
  const { provider, model, stopReason, errorMessage } = answersRequest(head) ? entryMessageOf(entry) : NO_FIELDS;
  return {
    provider: asString(provider),
    model: asString(model),
    stop_reason: asString(stopReason),
    error: asString(errorMessage),
  } satisfies Row;
}

/** The call that a tool result answers. */
export function readResultValues(head: Head, entry: JsonObject) {
  const isResult = head.role === 'toolResult';
  const { toolName, toolCallId, isError } = isResult ? entryMessageOf(entry) : NO_FIELDS;
  return {
    tool_name: asString(toolName),
    tool_call_id: asString(toolCallId),
    is_error: isResult ? isError === true : null,
  } satisfies Row;
}

export const NO_FIELDS: JsonObject = {};

/** The tokens of an entry's contents, counted as `ctx stats` does. */
export function countContentTokens(contents: EntryContents, blocks: (message: LlmMessage) => readonly CountedBlock[]) {
  const breakdown = buildEmptyBreakdown();
  const total = addContents(breakdown, contents, BY_CHARACTERS, blocks);
  const others =
    breakdown.thinking + breakdown['tool calls'] + breakdown.images + breakdown.system + breakdown['tool definitions'];
  return {
    tokens_estimated: total,
    text_tokens_estimated: total - others,
    thinking_tokens_estimated: breakdown.thinking,
    tool_call_tokens_estimated: breakdown['tool calls'],
    image_tokens_estimated: breakdown.images,
    system_tokens_estimated: breakdown.system,
    tool_definition_tokens_estimated: breakdown['tool definitions'],
  } satisfies Row;
}

export function readContentTexts({ message, parts }: EntryContents) {
  const blocks = message ? listBlocks(message) : [];
  const ofType = (name: string): readonly JsonObject[] => blocks.filter(({ type }) => type === name);
  const texts = [...(message ? [] : parts), ...ofType('text')];
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
export function agentOf({ agent }: Pick<Session, 'agent'>): string {
  return agent?.name ?? 'pi';
}
