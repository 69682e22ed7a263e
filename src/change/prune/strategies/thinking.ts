import * as z from 'zod/mini';
import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { option } from '#base/schema.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { defineStrategy } from '../define.js';
import { ageOf, type History } from '../history.js';
import { describeAge } from '../message-notes.js';
import { proposeShorter } from '../shorter-messages.js';

const options = z.strictObject({
  afterTurns: option(z.int().check(z.positive()), 1, 'Minimum age of an answer in turns (the newest turn is 0)'),
});

export default defineStrategy<z.infer<typeof options>>({
  name: 'thinking',
  summary: 'Drop the thinking of older turns where the provider allows it',
  help:
    'Providers need thinking only while the model works on the current task. In answers that are at least ' +
    '`afterTurns` turns old and precede that task, this strategy drops thinking by the API of the answer:\n\n' +
    '- Anthropic, Bedrock, Mistral: all thinking, including redacted thinking. Anthropic accepts earlier turns ' +
    'without it, and needs it complete in the newest one.\n' +
    '- APIs like OpenAI chat completions: all thinking, except with details that the endpoint may need back (a ' +
    'signature that is JSON).\n' +
    '- Gemini and OpenAI Responses: only thinking without a signature. Gemini may need a signed one back, and a ' +
    'reasoning item of Responses must stay with the calls and texts after it.\n' +
    '- any other API: none.\n\n' +
    'A turn that the user starts while tools are running belongs to the turn before it. An answer keeps its thinking ' +
    'if it would otherwise be empty or end with it. Calls keep their signatures.',
  options,
  *propose(history, { afterTurns }) {
    const end = findLoopStart(history);
    for (const item of history.items) {
      if (item.at >= end) return;
      const age = ageOf(history, item);
      if (item.kind !== 'assistant' || item.isFrozen || age < afterTurns) continue;
      const kept = removeThinking(item.message);
      const change = kept && proposeShorter(item, kept);
      if (change) yield { changes: [change], reason: `${describeReason(item.message)}, ${describeAge(age)}` };
    }
  },
});

/** The start of the newest loop of calls and results: a message directly after results continues their loop. */
function findLoopStart({ items }: History): number {
  let begin = 0;
  let isAtWork = false;
  for (const { at, message } of items) {
    if (message.role === 'user' && !isAtWork) begin = at;
    else if (message.role === 'toolResult') isAtWork = true;
    else if (message.role === 'assistant' && !isFailedAnswer(message))
      isAtWork = listObjects(message.content).some(isCall);
  }
  return begin;
}

function isCall({ type }: JsonObject): boolean {
  return type === 'toolCall';
}

/** null where nothing may go. */
function removeThinking(message: LlmMessage): LlmMessage | null {
  const blocks: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const mayGo = MAY_GO[findThinkingNeed(message)];
  const thoughts = blocks.filter(isThinking);
  const kept = blocks.filter((block) => !isThinking(block) || !mayGo(block, thoughts));
  if (kept.length === blocks.length || !kept.some(hasContent) || isThinking(kept.at(-1))) return null;
  return { ...message, content: kept };
}

function isThinking(block: unknown): block is JsonObject {
  return isObject(block) && block.type === 'thinking';
}

function hasContent(block: unknown): boolean {
  if (!isObject(block) || block.type !== 'text') return isObject(block);
  return (asString(block.text) ?? '').trim() !== '';
}

/** Which thinking of earlier turns an API wants back. */
type ThinkingNeed = 'none' | 'details' | 'signed' | 'all';

const MAY_GO: Readonly<Record<ThinkingNeed, (block: JsonObject, all: readonly JsonObject[]) => boolean>> = {
  none: () => true,
  // The details of one block cover all of them.
  details: (_block, all) => !all.some(({ thinkingSignature }) => /^\s*[[{]/.test(asString(thinkingSignature) ?? '')),
  signed: ({ thinkingSignature, redacted }) => !thinkingSignature && !redacted,
  all: () => false,
};

function findThinkingNeed({ api, provider }: LlmMessage): ThinkingNeed {
  return NEEDS.get(asString(api) ?? API_OF.get(asString(provider) ?? '') ?? '') ?? 'all';
}

const NEEDS: ReadonlyMap<string, ThinkingNeed> = new Map<string, ThinkingNeed>([
  ['anthropic-messages', 'none'],
  ['bedrock-converse-stream', 'none'],
  ['mistral-conversations', 'none'],
  ['openai-completions', 'details'],
  ['openai-responses', 'signed'],
  ['openai-codex-responses', 'signed'],
  ['azure-openai-responses', 'signed'],
  ['google-generative-ai', 'signed'],
  ['google-gemini-cli', 'signed'],
  ['google-vertex', 'signed'],
]);

/** Old sessions name no API. */
const API_OF: ReadonlyMap<string, string> = new Map([
  ['anthropic', 'anthropic-messages'],
  ['google', 'google-generative-ai'],
]);

function describeReason(message: LlmMessage): string {
  const name = asString(message.provider) ?? asString(message.api) ?? 'the provider';
  return findThinkingNeed(message) === 'signed'
    ? `${name} did not sign it`
    : `${name} accepts earlier turns without it`;
}
