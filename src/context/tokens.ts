import { jsonLength } from './json-length.js';
import { asString, isObject, type JsonObject, objectsIn } from '../session/values.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import type { RecordedUsage, TokenCount } from './envelope.js';

/** Pi's heuristic: four UTF-16 code units are a token, an image is 1200. */
const CHARACTERS_PER_TOKEN = 4;
const CHARACTERS_PER_IMAGE = 4800;
const METHOD = 'chars/4';

/**
 * Estimated tokens by category. Each category is rounded up on its own and messages one by one, as Pi
 * does. What is counted is what is sent, so a summary counts with the sentence that introduces it.
 */
export function countTokens({ system, tools, messages }: EnvelopeContent): TokenCount {
  const counts = {
    system: tokensOf(system.parts.reduce((sum, { text }) => sum + text.length, 0)),
    tools: tools.length === 0 ? 0 : tokensOf(JSON.stringify(tools).length),
    cached: sumOf(messages.cached),
    uncached: sumOf(messages.uncached),
  };
  return { ...counts, total: counts.system + counts.tools + counts.cached + counts.uncached, method: METHOD };
}

/** Estimated tokens of one message: Pi's `estimateTokens`. */
export function tokensOfMessage(message: LlmMessage): number {
  const content = message['content'];
  if (typeof content === 'string') return tokensOf(content.length);
  // Pi counts no images of an assistant: only an edit can put one there.
  const counted = objectsIn(content).filter(({ type }) => type !== 'image' || message.role !== 'assistant');
  return tokensOf(counted.reduce((sum, block) => sum + charactersOf(block), 0));
}

/** Estimated tokens of one text or JSON value. */
export function tokensOfValue(value: unknown): number {
  return tokensOf(typeof value === 'string' ? value.length : lengthAsJson(value));
}

function sumOf(messages: readonly LlmMessage[]): number {
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
}

/** Signatures and ids are not counted, and neither is a block of an unknown type. */
function charactersOf(block: { readonly [key: string]: unknown }): number {
  switch (block['type']) {
    case 'text':
      return asString(block['text'])?.length ?? 0;
    case 'thinking':
      return asString(block['thinking'])?.length ?? 0;
    case 'toolCall':
      return (asString(block['name'])?.length ?? 0) + lengthAsJson(block['arguments']);
    case 'image':
      return CHARACTERS_PER_IMAGE;
    default:
      return 0;
  }
}

function lengthAsJson(value: unknown): number {
  return value === undefined ? 0 : jsonLength(value);
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/**
 * The tokens that a provider counted for an assistant message and its request, null where the message has
 * no usage that Pi would trust: failed, aborted, or all zero.
 */
export function recordedTokens(message: LlmMessage): RecordedUsage['tokens'] | null {
  const usage = message['usage'];
  if (message.role !== 'assistant' || !isObject(usage)) return null;
  if (message['stopReason'] === 'aborted' || message['stopReason'] === 'error') return null;
  const { total } = usageNumbers(usage);
  return total > 0 ? total : null;
}

/** Tokens as a provider counted them for one call, and what it cost in dollars, where that is recorded. */
export interface UsageNumbers {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  readonly cost: number | null;
}

/** The numbers of a recorded `usage`, whatever became of the call. Counts that are not there are 0. */
export function usageNumbers(usage: JsonObject): UsageNumbers {
  const input = countIn(usage['input']);
  const output = countIn(usage['output']);
  const cacheRead = countIn(usage['cacheRead']);
  const cacheWrite = countIn(usage['cacheWrite']);
  const total = countIn(usage['totalTokens']) || input + output + cacheRead + cacheWrite;
  const cost = isObject(usage['cost']) ? usage['cost']['total'] : null;
  return { input, output, cacheRead, cacheWrite, total, cost: Number.isFinite(cost) ? (cost as number) : null };
}

function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
