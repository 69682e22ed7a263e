import { readMessageText } from '#analysis/facts/text.js';
import { asString } from '#base/json.js';
import { addTo, incrementCount } from '#base/maps.js';
import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { quoteId } from '#session/heads/head.js';
import type { AgentMessage } from '../../contract.js';
import type { Transcript } from '../transcript/transcript.js';

/**
 * Finds a message of the transcript that is out of order; messages of the engine may be anywhere. Messages of equal JSON
 * cannot be distinguished: each counts as the next one of that JSON.
 */
export function findOutOfOrder(messages: readonly AgentMessage[], transcript: Transcript): string | null {
  const places = new Map<string, number[]>();
  for (const [place, message] of transcript.messages().entries()) {
    addTo(places, JSON.stringify(message), place);
  }
  let last = -1;
  for (const [at, message] of messages.entries()) {
    if (!transcript.places.has(message)) continue;
    const next = places.get(JSON.stringify(message))?.find((place) => place > last);
    if (next === undefined) return `message ${at + 1} of the request is out of order or a duplicate`;
    last = next;
  }
  return null;
}

/** The words of a message with its role and call: a copy with another time or more fields has the same ones. */
const toSaying = memoizeByObject((message: AgentMessage) =>
  JSON.stringify([message.role, message.content, message.toolCallId ?? null]),
);

/**
 * Finds a copy of a message of the transcript that an engine passes as its own: it counts as the message that it
 * repeats.
 */
export function findDuplicate(messages: readonly AgentMessage[], transcript: Transcript): string | null {
  const ownSayings = new Set(messages.filter((message) => !transcript.places.has(message)).map(toSaying));
  if (ownSayings.size === 0) return null;
  const left = new Map<string, number>();
  for (const message of transcript.messages()) {
    const saying = toSaying(message);
    if (ownSayings.has(saying)) incrementCount(left, saying);
  }
  for (const [at, message] of messages.entries()) {
    const saying = toSaying(message);
    if (left.has(saying) && incrementCount(left, saying, -1) < 0)
      return `message ${at + 1} of the request is a duplicate`;
  }
  return null;
}

/** The characters by which a shortened result is recognised. */
const RESULT_START_LENGTH = 60;

/** Shorter results may be equal by chance. */
const MIN_RESULT_LENGTH = 16;

/** Finds a result of the transcript under the call of another one. */
export function findSwappedResult(messages: readonly AgentMessage[], transcript: Transcript): string | null {
  const ownResults = messages.filter((message) => message.role === 'toolResult' && !transcript.places.has(message));
  if (ownResults.length === 0) return null;
  const texts = new Map<unknown, string>();
  const heads = new Map<string, unknown>();
  for (const message of transcript.messages()) {
    if (message.role !== 'toolResult') continue;
    const text = readMessageText(message as LlmMessage);
    texts.set(message.toolCallId, text);
    heads.set(text.slice(0, RESULT_START_LENGTH), message.toolCallId);
  }
  for (const message of ownResults) {
    const own = texts.get(message.toolCallId);
    const text = readMessageText(message as LlmMessage);
    const head = text.slice(0, RESULT_START_LENGTH);
    const other = heads.get(head);
    if (own === undefined || other === undefined || head.length < MIN_RESULT_LENGTH || own.includes(head)) continue;
    const to = quoteId(asString(message.toolCallId));
    const from = quoteId(asString(other));
    return `the result of call ${to} shows that of call ${from}`;
  }
  return null;
}
