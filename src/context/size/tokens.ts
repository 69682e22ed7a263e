import { isFrozen } from '#base/freeze.js';
import { formatJson, measureJson } from '#base/json-text.js';
import { asCount, asString, isObject } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { memoizeByObject } from '#base/memoize.js';
import { splitInProportion } from '#base/proportion.js';
import { type ContentBlock, toBlock } from '#session/entry.js';
import type { WeighedPiece } from '../contents/contents.js';
import { labelText } from '../contents/label-text.js';
import type { EnvelopeContent, LlmMessage, SystemPart } from '../replay/content.js';
import type { TokenCount } from '../replay/envelope.js';
import { listBlocks } from '../words/message-blocks.js';

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
  const content = message.content;
  if (typeof content === 'string') return Math.ceil(count(content));
  // No lists are created here, since a session may have very many messages.
  let sum = 0;
  for (const block of Array.isArray(content) ? content : []) {
    if (isObject(block) && isCounted(block, message)) sum += countTokensIn(toBlock(block), count);
  }
  return Math.ceil(sum);
}

/** A block of a message with its share of the message's tokens. */
export interface CountedBlock {
  readonly block: ContentBlock;
  readonly tokens: number;
}

/** The counted blocks of a message, in order; a plain text is a block of text. Their tokens add up to the message's. */
export function countBlockTokens(message: LlmMessage, { count } = BY_CHARACTERS): readonly CountedBlock[] {
  const blocks = listBlocks(message).filter((block) => isCounted(block, message));
  const tokens = splitInProportion(blocks.map((block) => countTokensIn(block, count)));
  return blocks.map((block, at) => ({ block, tokens: tokens[at] ?? 0 }));
}

/** The estimated tokens of a message by the kind of its blocks. */
export interface MessageWeight {
  /** The tokens of all blocks: see `countMessageTokens`. */
  readonly tokens: number;
  readonly thinking: number;
  readonly calls: number;
  readonly images: number;
  /**
   * The pieces of the texts that an agent added by itself, in whole tokens. The other tokens belong to the rest of the
   * texts.
   */
  readonly labelled: readonly WeighedPiece[];
}

/** The estimated tokens of the texts of a message. */
export function textTokensOf({ tokens, thinking, calls, images }: WeightOfBlocks): number {
  return tokens - thinking - calls - images;
}

/** The weight of a message, each kind being the sum of `countBlockTokens`. `customType`: of one that an agent added. */
export function weighMessage(
  message: LlmMessage,
  method = BY_CHARACTERS,
  customType: string | null = null,
): MessageWeight {
  const weight = weighContent(message, method);
  return { ...weight, labelled: weighLabelledTexts(message, { method, customType, ofTexts: textTokensOf(weight) }) };
}

type WeightOfBlocks = Omit<MessageWeight, 'labelled'>;

function weighContent(message: LlmMessage, method: TokenMethod): WeightOfBlocks {
  const content = message.content;
  if (!Array.isArray(content) || content.every((block) => isObject(block) && block.type === 'text'))
    return { ...ONLY_TEXT, tokens: countMessageTokens(message, method) };
  return weighBlocks(countBlockTokens(message, method));
}

/** The weight of counted blocks. */
export function weighBlocks(blocks: readonly CountedBlock[]): WeightOfBlocks {
  const weight = { ...ONLY_TEXT, tokens: 0 };
  for (const { block, tokens } of blocks) {
    weight.tokens += tokens;
    const kind = KINDS_OF_BLOCKS.get(block.type);
    if (kind) weight[kind] += tokens;
  }
  return weight;
}

const NO_PIECES: readonly WeighedPiece[] = [];
const ONLY_TEXT = { thinking: 0, calls: 0, images: 0 };

/** The weight of a message that is all of one kind of text. */
export function toTextWeight(tokens: number): MessageWeight {
  return { ...ONLY_TEXT, tokens, labelled: NO_PIECES };
}

interface Labelling {
  readonly method: TokenMethod;
  readonly customType: string | null;
  /** The tokens of all texts, in which the pieces have a share. */
  readonly ofTexts: number;
}

function weighLabelledTexts(
  message: LlmMessage,
  { method: { count }, customType, ofTexts }: Labelling,
): readonly WeighedPiece[] {
  if (message.role === 'assistant') return NO_PIECES;
  const pieces = listBlocks(message).flatMap(({ type, text, documentTokensEstimated }): readonly WeighedPiece[] => {
    if (type !== 'text' || typeof text !== 'string') return NO_PIECES;
    const ofDocument = asCount(documentTokensEstimated);
    if (ofDocument !== null) return [{ kind: 'documents', name: null, tokens: ofDocument }];
    return labelText(text, customType).map(({ text: own, ...piece }) => ({ ...piece, tokens: count(own) }));
  });
  if (pieces.length === 0) return NO_PIECES;
  const rest = ofTexts - sumBy(pieces, ({ tokens }) => tokens);
  // Less than a token is what rounding left.
  const shares = splitInProportion([...pieces.map(({ tokens }) => tokens), rest < 1 ? 0 : rest], ofTexts);
  return pieces.map((piece, at) => ({ ...piece, tokens: shares[at] ?? 0 }));
}

const KINDS_OF_BLOCKS: ReadonlyMap<unknown, 'thinking' | 'calls' | 'images'> = new Map([
  ['thinking', 'thinking'],
  ['toolCall', 'calls'],
  ['image', 'images'],
]);

/** Estimated tokens of one text or JSON value. */
export function countValueTokens(value: unknown, { count } = BY_CHARACTERS): number {
  return Math.ceil(typeof value === 'string' ? count(value) : countAsJson(value, count));
}

export function sumMessageTokens(messages: readonly LlmMessage[], method?: TokenMethod): number {
  return messages.reduce((sum, message) => sum + countMessageTokens(message, method), 0);
}

/** Pi does not count images of an assistant: only an edit can put one there. */
function isCounted(block: ContentBlock, { role }: LlmMessage): boolean {
  return block.type !== 'image' || role !== 'assistant';
}

/**
 * Signatures and ids are not counted, and neither are blocks of an unknown type. A text that describes a document, such
 * as a PDF, has the tokens of the document.
 */
function countTokensIn(block: ContentBlock, count: CountTokens): number {
  switch (block.type) {
    case 'text':
      return asCount(block.documentTokensEstimated) ?? count(asString(block.text) ?? '');
    case 'thinking':
      return count(asString(block.thinking) ?? '');
    case 'toolCall':
      return count(asString(block.name) ?? '') + countAsJson(block.arguments, count);
    case 'image':
      return TOKENS_PER_IMAGE;
    default:
      return 0;
  }
}

function countAsJson(value: unknown, count: CountTokens): number {
  if (value === undefined) return 0;
  // An engine counts the arguments of a call again for many requests.
  if (typeof value === 'object' && value !== null && isFrozen(value)) return tokensOfFrozen(value, count);
  return countAsText(value, count);
}

const tokensOfFrozen = memoizeByObject((value: object, count: CountTokens) => countAsText(value, count));

function countAsText(value: unknown, count: CountTokens): number {
  const text = formatJson(value);
  // A value that is nested too deeply to be serialised can still be measured.
  return text === null ? measureJson(value) / CHARACTERS_PER_TOKEN : count(text);
}
