import { asString } from '#base/json.js';
import { sumBy, sumNumbers } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';
import { splitInProportion } from '#base/proportion.js';
import { addToKind, buildContents, type Content, type WeighedGroup, type WeighedPiece } from '../contents/contents.js';
import { CONTENT_KINDS, type ContentKind } from '../contents/kinds.js';
import { labelSystemPart } from '../contents/prompt-sections.js';
import { findToolServer } from '../contents/tool-server.js';
import type { LlmMessage, SystemPart, ToolDefinition } from '../replay/content.js';
import type { ContextSize, TokenCount } from '../replay/envelope.js';
import { CATEGORIES, type Category, chooseCategory } from './categories.js';
import { type PreamblePrice, type SizeParts, splitSize } from './preamble-price.js';
import {
  BY_CHARACTERS,
  countPartTokens,
  countValueTokens,
  type MessageWeight,
  textTokensOf,
  type TokenMethod,
  weighMessage,
} from './tokens.js';

/** The number of categories that are declared; the others are of messages. */
const DECLARED_CATEGORIES = 2;

/** Tokens of a part of a context: in tokens of the model's provider, and as estimated. */
export interface Share {
  readonly tokens: number;
  readonly tokensEstimated: number;
}

interface NamedShare extends Share {
  readonly name: string;
}

/** The parts of a context. All numbers are shares of its measured size, and add up to it. */
export interface Composition {
  /** The categories that have something. With `notItemised` they add up to the size. */
  readonly categories: readonly (Share & { readonly category: Category })[];
  /** Counted by the provider, but not in the session; null where all is. */
  readonly notItemised: number | null;
  /** The texts of tool results by tool, the largest first. They add up to their category. */
  readonly results: readonly NamedShare[];
  /** They add up to the category `system`. */
  readonly systemParts: readonly NamedShare[];
  /** They add up to the category `tool definitions`. */
  readonly tools: readonly NamedShare[];
  /** In the order of the messages. They add up to the other categories. */
  readonly messages: readonly Share[];
  /** The contents by kind and name. With `notItemised` they add up to the size. */
  readonly contents: readonly Content[];
}

/** Measured tokens for each estimated one, in a context. */
export interface SizeScale {
  /** Of the system prompt and the tools. */
  readonly declared: number;
  readonly messages: number;
}

/** The scale of a context, with which texts outside it are brought to the same unit. */
export function measureScale(size: MeasuredSize & Pick<ContextSize, 'factor'>, estimate: TokenCount): SizeScale {
  const { system, tools, cached, uncached } = splitSize(size, estimate);
  const declared = estimate.system + estimate.tools;
  const messages = estimate.cached + estimate.uncached;
  return {
    declared: declared === 0 ? size.declaredFactor : (system + tools) / declared,
    messages: messages === 0 ? size.factor : (cached + uncached) / messages,
  };
}

/** A message as it is weighed. */
export interface WeighedMessage {
  readonly weight: MessageWeight;
  /** The category of its text. */
  readonly textIs: Category;
  /** The tool of a result; null for another message. */
  readonly tool: string | null;
}

export function toWeighedMessage(message: LlmMessage, method?: TokenMethod): WeighedMessage {
  return { weight: weighMessage(message, method), textIs: chooseCategory(message.role), tool: readResultTool(message) };
}

/** The tool of a result; null for another message. */
export function readResultTool(message: LlmMessage): string | null {
  return message.role === 'toolResult' ? (asString(message.toolName) ?? '?') : null;
}

interface ComposedContext {
  readonly system: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  /** The tools that are sent, which are all or some of them. */
  readonly sentTools: readonly ToolDefinition[];
  readonly cached: readonly WeighedMessage[];
  readonly uncached: readonly WeighedMessage[];
}

/** A measured size, with the price of what is not a message in it. */
export type MeasuredSize = Pick<ContextSize, 'tokens'> & PreamblePrice;

/** The composition of a context of a measured size. `estimate`: of the same contents, by the same method. */
export function buildComposition(
  { system, tools, sentTools, cached, uncached }: ComposedContext,
  {
    size,
    estimate,
    method = BY_CHARACTERS,
  }: { size: MeasuredSize; estimate: TokenCount; method?: TokenMethod | undefined },
): Composition {
  const parts = splitSize(size, estimate);
  const isSent = new Set(sentTools);
  const weights = tools.map((tool) => (isSent.has(tool) ? countValueTokens(tool, method) : 0));
  const definitions = shareByName(nameTools(tools, weights), parts.tools, estimate.tools);
  const ofCached = cached.flatMap(listMessagePieces);
  const ofUncached = uncached.flatMap(listMessagePieces);
  const categories: Composition['categories'] = [
    { category: 'system', tokens: parts.system, tokensEstimated: estimate.system },
    { category: 'tool definitions', tokens: parts.tools, tokensEstimated: estimate.tools },
    ...sumCategories(ofCached, parts.cached, ofUncached, parts.uncached),
  ];
  const results = categories.find(({ category }) => category === 'tool results')?.tokens ?? 0;
  const groups: readonly WeighedGroup[] = [
    { pieces: listSystemPieces(system, method), tokens: parts.system, tokensEstimated: estimate.system },
    { pieces: definitions.map(toToolPiece), tokens: parts.tools, tokensEstimated: estimate.tools },
    { pieces: ofCached, tokens: parts.cached, tokensEstimated: estimate.cached },
    { pieces: ofUncached, tokens: parts.uncached, tokensEstimated: estimate.uncached },
  ];
  return {
    categories: categories.filter(({ tokens, tokensEstimated }) => tokens > 0 || tokensEstimated > 0),
    notItemised: parts.notItemised,
    results: shareResultsByTool([...cached, ...uncached], results),
    systemParts: shareByName(
      system.map(({ name, text }) => [name, method.count(text)]),
      parts.system,
      estimate.system,
    ),
    tools: definitions,
    contents: buildContents(groups),
    messages: [...shareByMessage(cached, parts.cached), ...shareByMessage(uncached, parts.uncached)],
  };
}

/** The pieces of a system prompt, which add up to its estimate. */
export function listSystemPieces(parts: readonly SystemPart[], method: TokenMethod): readonly WeighedPiece[] {
  const pieces = parts.flatMap(labelSystemPart);
  const weights = pieces.map(({ text }) => method.count(text));
  const tokens = splitInProportion(weights, countPartTokens(parts, method));
  return pieces.map(({ kind, name, item }, at) => ({ kind, name, item, tokens: tokens[at] ?? 0 }));
}

/** The pieces of tool definitions that are all sent. `estimated`: of all of them together. */
export function listToolPieces(
  tools: readonly ToolDefinition[],
  estimated: number,
  method: TokenMethod,
): readonly WeighedPiece[] {
  const weights = tools.map((tool) => countValueTokens(tool, method));
  return shareByName(nameTools(tools, weights), 0, estimated).map(toToolPiece);
}

function nameTools(tools: readonly ToolDefinition[], weights: readonly number[]) {
  return tools.map(({ name }, at) => [asString(name) ?? '?', weights[at] ?? 0] as const);
}

function toToolPiece({ name, tokensEstimated: tokens }: NamedShare): WeighedPiece {
  return { kind: 'tools', name: findToolServer(name), item: name, tokens };
}

/** A piece of a message, with the category of the message or of the block that has it. */
export interface MessagePiece extends WeighedPiece {
  readonly category: Category;
}

/** The pieces of a message, which add up to its estimate: what an agent added by itself, and the rest. */
export function listMessagePieces({ weight, textIs, tool }: WeighedMessage): readonly MessagePiece[] {
  const { labelled, thinking, calls, images } = weight;
  const added = sumBy(labelled, (piece) => piece.tokens);
  const all: readonly MessagePiece[] = [
    ...labelled.map((piece) => ({ ...piece, category: textIs })),
    { category: textIs, kind: toKind(textIs), name: tool, tokens: textTokensOf(weight) - added },
    { category: 'thinking', kind: 'thinking', name: null, tokens: thinking },
    { category: 'tool calls', kind: 'tool calls', name: null, tokens: calls },
    { category: 'images', kind: 'images', name: null, tokens: images },
  ];
  return all.filter(({ tokens }) => tokens > 0);
}

/** The kind of what a category has, apart from what an agent added by itself. */
function toKind(category: Category): ContentKind {
  if (category === 'system') return 'prompt';
  return category === 'tool definitions' ? 'tools' : category;
}

/** Estimated tokens by kind of content, in the order of `CONTENT_KINDS`. */
export interface KindWeights {
  /** Of the system prompt and of the tools, which are the only ones of their kind. */
  readonly declared: readonly number[];
  readonly messages: readonly number[];
}

/** Estimates by kind as shares of a measured size, which they add up to with the last number: what the session does not record. */
export function scaleKinds({ declared, messages }: KindWeights, size: MeasuredSize): readonly number[] {
  const { system, tools, cached, notItemised } = splitKinds({ declared, messages }, size);
  const ofSystem = splitInProportion(clearTools(declared), system);
  const ofMessages = splitInProportion(messages, cached);
  const sums = ofSystem.map((tokens, at) => tokens + (ofMessages[at] ?? 0));
  addToKind(sums, 'tools', tools);
  return [...sums, notItemised ?? 0];
}

/** The parts of a size whose estimates are given by kind. */
export function splitKinds({ declared, messages }: KindWeights, size: MeasuredSize): SizeParts {
  const system = sumNumbers(clearTools(declared));
  const tools = sumNumbers(declared) - system;
  return splitSize(size, { system, tools, cached: sumNumbers(messages), uncached: 0 });
}

function clearTools(declared: readonly number[]): readonly number[] {
  return declared.map((tokens, at) => (CONTENT_KINDS[at] === 'tools' ? 0 : tokens));
}

/** The tokens of each category of messages. */
function sumCategories(
  cached: readonly MessagePiece[],
  ofCached: number,
  uncached: readonly MessagePiece[],
  ofUncached: number,
): Composition['categories'] {
  const estimated = sumByCategory(cached);
  const estimatedUncached = sumByCategory(uncached);
  const measured = splitInProportion(estimated, ofCached);
  const logged = splitInProportion(estimatedUncached, ofUncached);
  return CATEGORIES.slice(DECLARED_CATEGORIES).map((category, at) => ({
    category,
    tokens: (measured[at] ?? 0) + (logged[at] ?? 0),
    tokensEstimated: (estimated[at] ?? 0) + (estimatedUncached[at] ?? 0),
  }));
}

/** Estimated tokens of messages, for each category after the declared ones. */
function sumByCategory(pieces: readonly MessagePiece[]): readonly number[] {
  const sums = new Map<Category, number>();
  for (const { category, tokens } of pieces) incrementCount(sums, category, tokens);
  return CATEGORIES.slice(DECLARED_CATEGORIES).map((category) => sums.get(category) ?? 0);
}

function shareResultsByTool(messages: readonly WeighedMessage[], total: number): readonly NamedShare[] {
  const sums = new Map<string, number>();
  for (const message of messages) {
    if (message.textIs !== 'tool results') continue;
    const name = message.tool ?? '?';
    incrementCount(sums, name, textTokensOf(message.weight));
  }
  const estimated = [...sums].filter(([, tokens]) => tokens > 0).toSorted(([, a], [, b]) => b - a);
  const tokens = splitInProportion(
    estimated.map(([, each]) => each),
    total,
  );
  return estimated.map(([name, tokensEstimated], at) => ({ name, tokens: tokens[at] ?? 0, tokensEstimated }));
}

/** The parts of a measured and of an estimated number by name, in proportion to weights. */
function shareByName(
  weights: readonly (readonly [name: string, weight: number])[],
  measured: number,
  estimated: number,
): readonly NamedShare[] {
  const all = weights.map(([, weight]) => weight);
  const tokens = splitInProportion(all, measured);
  const tokensEstimated = splitInProportion(all, estimated);
  return weights.map(([name], at) => ({ name, tokens: tokens[at] ?? 0, tokensEstimated: tokensEstimated[at] ?? 0 }));
}

function shareByMessage(messages: readonly WeighedMessage[], total: number): readonly Share[] {
  const estimated = messages.map(({ weight }) => weight.tokens);
  const tokens = splitInProportion(estimated, total);
  return estimated.map((tokensEstimated, at) => ({ tokens: tokens[at] ?? 0, tokensEstimated }));
}
