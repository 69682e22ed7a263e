import { isFrozen } from '#base/freeze.js';
import { formatJson, measureJson } from '#base/json-text.js';
import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import { splitInProportion } from '#base/proportion.js';
import { isAnswer } from '#session/heads/answer.js';
import type { EnvelopeContent, LlmMessage, SystemPart } from '../replay/content.js';
import { isFailedAnswer } from '../replay/convert.js';
import type { ContextSize, RecordedUsage, TokenCount } from '../replay/envelope.js';

/** Counts the tokens of a text. The result may be a fraction: texts that are counted together are rounded up once. */
export type CountTokens = (text: string) => number;

/** A counting method, with the name under which its numbers are printed. */
export interface TokenMethod {
  readonly name: string;
  readonly count: CountTokens;
}

/** Pi's heuristic: four UTF-16 code units per token. */
export const CHARACTERS_PER_TOKEN = 4;
/** Used by every method, since no tokenizer reads images. */
const TOKENS_PER_IMAGE = 1200;

export const BY_CHARACTERS: TokenMethod = {
  name: 'chars/4',
  count: ({ length }) => length / CHARACTERS_PER_TOKEN,
};

/**
 * Estimated tokens by category. Each category is rounded up on its own and messages one by one, as in Pi.
 * The sent content is counted, so a summary counts with its introduction.
 */
export function countTokens({ system, tools, messages }: EnvelopeContent, method = BY_CHARACTERS): TokenCount {
  const counts = {
    system: countPartTokens(system.parts, method),
    tools: countToolTokens(tools, method),
    cached: sumMessageTokens(messages.cached, method),
    uncached: sumMessageTokens(messages.uncached, method),
  };
  return { ...counts, total: counts.system + counts.tools + counts.cached + counts.uncached, method: method.name };
}

/** Estimated tokens of a system prompt. */
export function countPartTokens(parts: readonly SystemPart[], { count } = BY_CHARACTERS): number {
  return Math.ceil(parts.reduce((sum, { text }) => sum + count(text), 0));
}

/** Estimated tokens of tool definitions. */
export function countToolTokens(tools: EnvelopeContent['tools'], method = BY_CHARACTERS): number {
  return tools.length === 0 ? 0 : countValueTokens(tools, method);
}

/** Estimated tokens of a system prompt and tool definitions. */
export function countDeclaredTokens(
  { system, tools }: Pick<EnvelopeContent, 'system' | 'tools'>,
  method = BY_CHARACTERS,
): number {
  return countPartTokens(system.parts, method) + countToolTokens(tools, method);
}

/** Estimated tokens of one message: Pi's `estimateTokens`. */
export function countMessageTokens(message: LlmMessage, { count } = BY_CHARACTERS): number {
  const content = message['content'];
  if (typeof content === 'string') return Math.ceil(count(content));
  // No lists are created here, since a session may have very many messages.
  let sum = 0;
  for (const block of Array.isArray(content) ? content : [])
    if (isObject(block) && isCounted(block, message)) sum += tokensIn(block, count);
  return Math.ceil(sum);
}

/** A block of a message with its share of the message's tokens. */
export interface CountedBlock {
  readonly block: JsonObject;
  readonly tokens: number;
}

/** The counted blocks of a message, in order; a plain text is a block of text. Their tokens add up to the message's. */
export function countBlockTokens(message: LlmMessage, { count } = BY_CHARACTERS): readonly CountedBlock[] {
  const content = message['content'];
  const blocks =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : listObjects(content).filter((block) => isCounted(block, message));
  const tokens = splitInProportion(blocks.map((block) => tokensIn(block, count)));
  return blocks.map((block, at) => ({ block, tokens: tokens[at] ?? 0 }));
}

/** The estimated tokens of a message by the kind of its blocks. */
export interface MessageWeight {
  /** Of all blocks: `countMessageTokens`. */
  readonly tokens: number;
  readonly thinking: number;
  readonly calls: number;
  readonly images: number;
}

/** The weight of a message, each kind being the sum of `countBlockTokens`. */
export function weighMessage(message: LlmMessage, method = BY_CHARACTERS): MessageWeight {
  const content = message['content'];
  if (!Array.isArray(content) || content.every((block) => isObject(block) && block['type'] === 'text'))
    return { tokens: countMessageTokens(message, method), ...ONLY_TEXT };
  const weight = { tokens: 0, ...ONLY_TEXT };
  for (const { block, tokens } of countBlockTokens(message, method)) {
    weight.tokens += tokens;
    const kind = KINDS_OF_BLOCKS.get(block['type']);
    if (kind) weight[kind] += tokens;
  }
  return weight;
}

const ONLY_TEXT = { thinking: 0, calls: 0, images: 0 };
const KINDS_OF_BLOCKS: ReadonlyMap<unknown, 'thinking' | 'calls' | 'images'> = new Map([
  ['thinking', 'thinking'],
  ['toolCall', 'calls'],
  ['image', 'images'],
]);

/** The price of the parts of a context that are not messages, in tokens of the model's provider. */
export type PreamblePrice = Pick<ContextSize, 'notItemised' | 'declaredFactor'>;

/** A context as estimated. */
export interface EstimatedParts {
  /** Tokens of the system prompt and the tools. */
  readonly declared: number;
  readonly messages: number;
}

/** A context as estimated, with the number of its messages. */
export interface ReplayedParts extends EstimatedParts {
  readonly count: number;
}

/** A context as estimated, and as its provider counted it. */
export interface CountedParts extends ReplayedParts {
  readonly counted: number;
}

/** The price of a preamble within a size: scaled down where the size is smaller, and scaled up where nothing else is in it. */
export function fitPreamblePrice(
  total: number,
  { notItemised, declaredFactor }: PreamblePrice,
  { declared, messages }: EstimatedParts,
): PreamblePrice {
  const price = (notItemised ?? 0) + declaredFactor * declared;
  if (price === 0 || (price <= total && messages > 0)) return { notItemised, declaredFactor };
  const scale = total / (price + declaredFactor * messages);
  const rest = notItemised === null ? null : Math.round(scale * notItemised);
  return { notItemised: rest, declaredFactor: scale * declaredFactor };
}

/** More tokens than any text has for each estimated one: providers counted 0.9 to 2.1. */
export const LARGEST_FACTOR = 8;

/** The tokens that a provider counted for messages, but that no text of them in the file can have. */
export function countTokensNotInFile(
  total: number,
  { notItemised, declaredFactor }: PreamblePrice,
  parts: EstimatedParts,
) {
  const { declared, messages } = parts;
  const counted = total - (notItemised ?? 0) - declaredFactor * declared;
  return counted <= LARGEST_FACTOR * messages ? 0 : Math.round(counted - declaredFactor * messages);
}

/** The part of a size that the first `estimated` tokens of its context have. */
export function measureSizeUpTo(
  estimated: number,
  { tokens, notItemised, declaredFactor }: Pick<ContextSize, 'tokens'> & PreamblePrice,
  { declared, messages }: EstimatedParts,
): number {
  const rest = notItemised ?? 0;
  if (estimated <= declared) return Math.round(rest + declaredFactor * estimated);
  const preamble = rest + declaredFactor * declared;
  return Math.round(
    preamble + ((tokens - preamble) * Math.min(estimated - declared, messages)) / Math.max(1, messages),
  );
}

/** A context size by part; the parts add up to it. */
export interface SizeParts extends Record<'system' | 'tools' | 'cached' | 'uncached', number> {
  /** Counted by the provider, but not in the session; null where all parts are. */
  readonly notItemised: number | null;
  /** The part of it that messages had when they were sent. */
  readonly notInFile: number;
}

/** The parts of a size: the preamble at its price, and the messages with the rest. */
export function splitSize(
  size: Pick<ContextSize, 'tokens'> & PreamblePrice,
  estimate: Omit<TokenCount, 'total' | 'method'>,
): SizeParts {
  const [declared, messages] = [estimate.system + estimate.tools, estimate.cached + estimate.uncached];
  const price = fitPreamblePrice(size.tokens, size, { declared, messages });
  const notInFile = countTokensNotInFile(size.tokens, price, { declared, messages });
  const notItemised = notInFile > 0 ? (price.notItemised ?? 0) + notInFile : price.notItemised;
  const own = Math.min(size.tokens - (notItemised ?? 0), Math.round(price.declaredFactor * declared));
  const [system = 0, tools = 0] = splitInProportion([estimate.system, estimate.tools], own);
  const rest = size.tokens - (notItemised ?? 0) - system - tools;
  const [cached = 0, uncached = 0] = splitInProportion([estimate.cached, estimate.uncached], rest);
  const isItemised = cached + uncached === rest;
  const all = isItemised ? notItemised : (notItemised ?? 0) + rest;
  return { system, tools, cached, uncached, notItemised: all, notInFile };
}

/** Estimated tokens of one text or JSON value. */
export function countValueTokens(value: unknown, { count } = BY_CHARACTERS): number {
  return Math.ceil(typeof value === 'string' ? count(value) : tokensAsJson(value, count));
}

export function sumMessageTokens(messages: readonly LlmMessage[], method?: TokenMethod): number {
  return messages.reduce((sum, message) => sum + countMessageTokens(message, method), 0);
}

/** Pi does not count images of an assistant: only an edit can put one there. */
function isCounted(block: JsonObject, { role }: LlmMessage): boolean {
  return block['type'] !== 'image' || role !== 'assistant';
}

/**
 * Signatures and ids are not counted, and neither are blocks of an unknown type. A text that describes a document, such as
 * a PDF, has the tokens of the document.
 */
function tokensIn(block: JsonObject, count: CountTokens): number {
  switch (block['type']) {
    case 'text':
      return asCount(block['documentTokensEstimated']) ?? count(asString(block['text']) ?? '');
    case 'thinking':
      return count(asString(block['thinking']) ?? '');
    case 'toolCall':
      return count(asString(block['name']) ?? '') + tokensAsJson(block['arguments'], count);
    case 'image':
      return TOKENS_PER_IMAGE;
    default:
      return 0;
  }
}

function tokensAsJson(value: unknown, count: CountTokens): number {
  if (value === undefined) return 0;
  // An engine counts the arguments of a call again for many requests.
  if (typeof value === 'object' && value !== null && isFrozen(value)) return tokensOfFrozen(value, count);
  return tokensAsText(value, count);
}

const tokensOfFrozen = memoizeByObject((value: object, count: CountTokens) => tokensAsText(value, count));

function tokensAsText(value: unknown, count: CountTokens): number {
  const text = formatJson(value);
  // A value that is nested too deeply to be serialised can still be measured.
  return text === null ? measureJson(value) / CHARACTERS_PER_TOKEN : count(text);
}

/**
 * The tokens that a provider counted for an assistant message and its request, null if the message has
 * no usage that Pi would trust: failed, aborted, of no provider, or all zero.
 */
export function readRecordedTokens(message: LlmMessage): RecordedUsage['tokens'] | null {
  const usage = message['usage'];
  if (!isAnswer(message) || !isObject(usage) || isFailedAnswer(message)) return null;
  // A later sampling of an answer contains what came before it.
  const { total } = readUsageNumbers(listObjects(usage['samplings']).at(-1) ?? usage);
  return total > 0 ? total : null;
}

/** Tokens as a provider counted them for one call, and its cost in dollars, if recorded. */
export interface UsageNumbers {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  readonly cost: number | null;
}

/**
 * The part of the tokens written to a cache that is kept for an hour, not for five minutes; null for a `usage` that does
 * not record it. oh-my-pi records both parts.
 */
export function readHourCacheWrite(usage: JsonObject): number | null {
  const { ephemeral1h, ephemeral5m } = asObject(usage['cttl']);
  const ofParts = asCount(ephemeral1h) ?? (asCount(ephemeral5m) === null ? null : 0);
  const written = asCount(usage['cacheWrite1h']) ?? ofParts;
  return written === null ? null : Math.min(written, asCount(usage['cacheWrite']) ?? 0);
}

/** Whether the output in a `usage` was counted before the answer was complete. */
export function isOutputPartial(usage: JsonObject): boolean {
  return usage['partialOutput'] === true;
}

/**
 * The counts of the prompt that was sent: an answer that took several samplings, since the provider ran tools between
 * them, records the sum of their prompts, each of which repeats the one before.
 */
export function readPromptUsage(usage: JsonObject): JsonObject {
  return listObjects(usage['samplings'])[0] ?? usage;
}

/** Whether no count of the provider is recorded for the call of a `usage`, which follows from totals that are. */
export function isUsageDerived(usage: JsonObject): boolean {
  return usage['derived'] === true;
}

/** The numbers of a recorded `usage` of any call. Missing counts are 0. */
export function readUsageNumbers(usage: JsonObject): UsageNumbers {
  const input = asCount(usage['input']) ?? 0;
  const output = asCount(usage['output']) ?? 0;
  const cacheRead = asCount(usage['cacheRead']) ?? 0;
  const cacheWrite = asCount(usage['cacheWrite']) ?? 0;
  const total = asCount(usage['totalTokens']) || input + output + cacheRead + cacheWrite;
  const cost = isObject(usage['cost']) ? usage['cost']['total'] : null;
  return { input, output, cacheRead, cacheWrite, total, cost: asCount(cost) };
}
