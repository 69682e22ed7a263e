import { asString } from '#base/json.js';
import { incrementCount } from '#base/maps.js';
import { splitInProportion } from '#base/proportion.js';
import { buildContents, type Content, type WeighedGroup } from '../contents/contents.js';
import type { SystemPart, ToolDefinition } from '../replay/content.js';
import type { TokenCount } from '../replay/envelope.js';
import { CATEGORIES, type Category } from './categories.js';
import { listMessagePieces, listSystemPieces, type MessagePiece, toToolPiece } from './content-pieces.js';
import { type MeasuredSize, splitSize } from './split-size.js';
import { BY_CHARACTERS, countValueTokens, textTokensOf, type TokenMethod } from './tokens.js';
import type { WeighedMessage } from './weighed-message.js';

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
  /**
   * The shares of the messages in their order. They add up to the categories that are neither `system` nor `tool
   * definitions`.
   */
  readonly messages: readonly Share[];
  /** The contents by kind and name. With `notItemised` they add up to the size. */
  readonly contents: readonly Content[];
}

interface ComposedContext {
  readonly system: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  /** The tools that are sent, which are all or some of them. */
  readonly sentTools: readonly ToolDefinition[];
  readonly cached: readonly WeighedMessage[];
  readonly uncached: readonly WeighedMessage[];
}

interface MeasuredContents {
  readonly size: MeasuredSize;
  /** The estimated tokens of these contents, by `method`. */
  readonly estimate: TokenCount;
  readonly method?: TokenMethod | undefined;
}

/** The composition of a context of a measured size. */
export function buildComposition(
  { system, tools, sentTools, cached, uncached }: ComposedContext,
  { size, estimate, method = BY_CHARACTERS }: MeasuredContents,
): Composition {
  const parts = splitSize(size, estimate);
  const partWeights = system.map(({ name, text }) => ({ name, weight: method.count(text) }));
  const definitions = shareByName(weighTools(tools, sentTools, method), parts.tools, estimate.tools);
  const cachedPieces = cached.flatMap(listMessagePieces);
  const uncachedPieces = uncached.flatMap(listMessagePieces);

  const categories: Composition['categories'] = [
    { category: 'system', tokens: parts.system, tokensEstimated: estimate.system },
    { category: 'tool definitions', tokens: parts.tools, tokensEstimated: estimate.tools },
    ...sumCategories(cachedPieces, parts.cached, uncachedPieces, parts.uncached),
  ];
  const results = categories.find(({ category }) => category === 'tool results')?.tokens ?? 0;
  const toolPieces = definitions.map(({ name, tokensEstimated }) => toToolPiece(name, tokensEstimated));
  const groups: readonly WeighedGroup[] = [
    { pieces: listSystemPieces(system, method), tokens: parts.system, tokensEstimated: estimate.system },
    { pieces: toolPieces, tokens: parts.tools, tokensEstimated: estimate.tools },
    { pieces: cachedPieces, tokens: parts.cached, tokensEstimated: estimate.cached },
    { pieces: uncachedPieces, tokens: parts.uncached, tokensEstimated: estimate.uncached },
  ];
  return {
    categories: categories.filter(({ tokens, tokensEstimated }) => tokens > 0 || tokensEstimated > 0),
    notItemised: parts.notItemised,
    results: shareResultsByTool([...cached, ...uncached], results),
    systemParts: shareByName(partWeights, parts.system, estimate.system),
    tools: definitions,
    contents: buildContents(groups),
    messages: [...shareByMessage(cached, parts.cached), ...shareByMessage(uncached, parts.uncached)],
  };
}

/** The weights of tool definitions: none for those that are not sent. */
function weighTools(
  tools: readonly ToolDefinition[],
  sentTools: readonly ToolDefinition[],
  method: TokenMethod,
): readonly NamedWeight[] {
  const sent = new Set(sentTools);
  return tools.map((tool) => ({
    name: asString(tool.name) ?? '?',
    weight: sent.has(tool) ? countValueTokens(tool, method) : 0,
  }));
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
  for (const { textCategory, tool, weight } of messages) {
    if (textCategory === 'tool results') incrementCount(sums, tool ?? '?', textTokensOf(weight));
  }
  const largestFirst = [...sums].filter(([, tokens]) => tokens > 0).toSorted(([, a], [, b]) => b - a);
  const weights = largestFirst.map(([name, weight]) => ({ name, weight }));
  const tokens = splitInProportion(
    weights.map(({ weight }) => weight),
    total,
  );
  return weights.map(({ name, weight }, at) => ({ name, tokens: tokens[at] ?? 0, tokensEstimated: weight }));
}

interface NamedWeight {
  readonly name: string;
  readonly weight: number;
}

/** The parts of a measured and of an estimated number by name, in proportion to weights. */
function shareByName(parts: readonly NamedWeight[], measured: number, estimated: number): readonly NamedShare[] {
  const weights = parts.map(({ weight }) => weight);
  const tokens = splitInProportion(weights, measured);
  const tokensEstimated = splitInProportion(weights, estimated);
  return parts.map(({ name }, at) => ({ name, tokens: tokens[at] ?? 0, tokensEstimated: tokensEstimated[at] ?? 0 }));
}

function shareByMessage(messages: readonly WeighedMessage[], total: number): readonly Share[] {
  const estimated = messages.map(({ weight }) => weight.tokens);
  const tokens = splitInProportion(estimated, total);
  return estimated.map((tokensEstimated, at) => ({ tokens: tokens[at] ?? 0, tokensEstimated }));
}
