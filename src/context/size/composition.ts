import { asString } from '#base/json.js';
import { splitInProportion } from '#base/proportion.js';
import { buildContents, type Content, type WeighedGroup, type WeighedPiece } from '../contents/contents.js';
import type { ContentKind } from '../contents/kinds.js';
import { labelSystemPart } from '../contents/prompt-sections.js';
import { findToolServer } from '../contents/tool-server.js';
import type { LlmMessage, SystemPart, ToolDefinition } from '../replay/content.js';
import type { ContextSize, TokenCount } from '../replay/envelope.js';
import { type PreamblePrice, splitSize } from './preamble-price.js';
import { BY_CHARACTERS, countValueTokens, type MessageWeight, type TokenMethod, weighMessage } from './tokens.js';

// Apart from envelope.ts: every start loads this, and most need no schema.

/** The categories of tokens. Every counted token belongs to one. */
export const CATEGORIES = [
  'system',
  'tool definitions',
  'user',
  'assistant',
  'thinking',
  'tool calls',
  'tool results',
  'summaries',
  'shell',
  'custom',
  'images',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** The number of categories that are declared; the others are of messages. */
export const DECLARED_CATEGORIES = 2;

/** The category of the text of a message with a role. */
export function categoryOf(role: unknown): Category {
  switch (role) {
    case 'assistant':
      return 'assistant';
    case 'toolResult':
      return 'tool results';
    case 'bashExecution':
      return 'shell';
    case 'custom':
      return 'custom';
    case 'branchSummary':
    case 'compactionSummary':
      return 'summaries';
    default:
      return 'user';
  }
}

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
export function measureScale(size: Sized & Pick<ContextSize, 'factor'>, estimate: TokenCount): SizeScale {
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
  return { weight: weighMessage(message, method), textIs: categoryOf(message.role), tool: resultToolOf(message) };
}

/** The tool of a result; null for another message. */
export function resultToolOf(message: LlmMessage): string | null {
  return message.role === 'toolResult' ? (asString(message.toolName) ?? '?') : null;
}

interface Composed {
  readonly system: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  /** The tools that are sent, which are all or some of them. */
  readonly sentTools: readonly ToolDefinition[];
  readonly cached: readonly WeighedMessage[];
  readonly uncached: readonly WeighedMessage[];
}

type Sized = Pick<ContextSize, 'tokens'> & PreamblePrice;

/** The composition of a context of a measured size. `estimate`: of the same contents, by the same method. */
export function buildComposition(
  { system, tools, sentTools, cached, uncached }: Composed,
  { size, estimate, method = BY_CHARACTERS }: { size: Sized; estimate: TokenCount; method?: TokenMethod | undefined },
): Composition {
  const parts = splitSize(size, estimate);
  const ofCached = byCategory(cached);
  const ofUncached = byCategory(uncached);
  const measured = splitInProportion(ofCached, parts.cached);
  const logged = splitInProportion(ofUncached, parts.uncached);
  const both = CATEGORIES.slice(DECLARED_CATEGORIES).map((category, at) => ({
    category,
    tokens: (measured[at] ?? 0) + (logged[at] ?? 0),
    tokensEstimated: (ofCached[at] ?? 0) + (ofUncached[at] ?? 0),
  }));
  const categories: Composition['categories'] = [
    { category: 'system', tokens: parts.system, tokensEstimated: estimate.system },
    { category: 'tool definitions', tokens: parts.tools, tokensEstimated: estimate.tools },
    ...both,
  ];
  const results = categories.find(({ category }) => category === 'tool results')?.tokens ?? 0;
  const isSent = new Set(sentTools);
  const definitions = named(
    tools.map((tool) => [asString(tool.name) ?? '?', isSent.has(tool) ? countValueTokens(tool, method) : 0]),
    parts.tools,
    estimate.tools,
  );
  const sent = [...cached, ...uncached];
  const groups = categories.map(({ category, ...shares }): WeighedGroup => {
    return { ...shares, pieces: listPieces(category, { system, definitions, sent, method }) };
  });
  return {
    categories: categories.filter(({ tokens, tokensEstimated }) => tokens > 0 || tokensEstimated > 0),
    notItemised: parts.notItemised,
    results: resultsByTool([...cached, ...uncached], results),
    systemParts: named(
      system.map(({ name, text }) => [name, method.count(text)]),
      parts.system,
      estimate.system,
    ),
    tools: definitions,
    contents: buildContents(groups),
    messages: [...sharesOf(cached, parts.cached), ...sharesOf(uncached, parts.uncached)],
  };
}

/** The pieces of the tokens of a category. */
function listPieces(
  category: Category,
  {
    system,
    definitions,
    sent,
    method,
  }: {
    readonly system: readonly SystemPart[];
    readonly definitions: readonly NamedShare[];
    readonly sent: readonly WeighedMessage[];
    readonly method: TokenMethod;
  },
): readonly WeighedPiece[] {
  switch (category) {
    case 'system':
      return system.flatMap(labelSystemPart).map(({ text, ...piece }) => ({ ...piece, tokens: method.count(text) }));
    case 'tool definitions':
      return definitions.map(({ name, tokensEstimated }) => {
        return { kind: 'tools', name: findToolServer(name), tokens: tokensEstimated };
      });
    case 'thinking':
    case 'tool calls':
    case 'images':
      return [{ kind: category, name: null, tokens: 1 }];
    default:
      return sent.filter(({ textIs }) => textIs === category).flatMap((message) => listTextPieces(category, message));
  }
}

/** The pieces of the text of a message: what an agent added by itself, and the rest. */
function listTextPieces(kind: Category & ContentKind, message: WeighedMessage): readonly WeighedPiece[] {
  const { labelled } = message.weight;
  const added = labelled.reduce((sum, piece) => sum + piece.tokens, 0);
  const rest = textTokens(message) - added;
  // Less than a token is what rounding left.
  if (labelled.length > 0 && rest < 1) return labelled;
  return [...labelled, { kind, name: message.tool, tokens: rest }];
}

/** Estimates by category as shares of a measured size, which they add up to with the last number: what is not itemised. */
export function scaleCategories(estimated: Iterable<number>, size: Sized): readonly number[] {
  const [system = 0, tools = 0, ...messages] = estimated;
  const cached = messages.reduce((sum, each) => sum + each, 0);
  const parts = splitSize(size, { system, tools, cached, uncached: 0 });
  return [parts.system, parts.tools, ...splitInProportion(messages, parts.cached), parts.notItemised ?? 0];
}

/** Estimated tokens of messages, for each category after the declared ones. */
function byCategory(messages: readonly WeighedMessage[]): readonly number[] {
  const sums = new Map<Category, number>();
  const add = (category: Category, tokens: number): void => void sums.set(category, (sums.get(category) ?? 0) + tokens);
  for (const message of messages) {
    const { thinking, calls, images } = message.weight;
    add(message.textIs, textTokens(message));
    add('thinking', thinking);
    add('tool calls', calls);
    add('images', images);
  }
  return CATEGORIES.slice(DECLARED_CATEGORIES).map((category) => sums.get(category) ?? 0);
}

function textTokens({ weight: { tokens, thinking, calls, images } }: WeighedMessage): number {
  return tokens - thinking - calls - images;
}

function resultsByTool(messages: readonly WeighedMessage[], total: number): readonly NamedShare[] {
  const sums = new Map<string, number>();
  for (const message of messages) {
    if (message.textIs !== 'tool results') continue;
    const name = message.tool ?? '?';
    sums.set(name, (sums.get(name) ?? 0) + textTokens(message));
  }
  const estimated = [...sums].filter(([, tokens]) => tokens > 0).toSorted(([, a], [, b]) => b - a);
  const tokens = splitInProportion(
    estimated.map(([, sum]) => sum),
    total,
  );
  return estimated.map(([name, tokensEstimated], at) => ({ name, tokens: tokens[at] ?? 0, tokensEstimated }));
}

function named(
  weights: readonly (readonly [name: string, weight: number])[],
  measured: number,
  estimated: number,
): readonly NamedShare[] {
  const all = weights.map(([, weight]) => weight);
  const tokens = splitInProportion(all, measured);
  const tokensEstimated = splitInProportion(all, estimated);
  return weights.map(([name], at) => ({ name, tokens: tokens[at] ?? 0, tokensEstimated: tokensEstimated[at] ?? 0 }));
}

function sharesOf(messages: readonly WeighedMessage[], total: number): readonly Share[] {
  const estimated = messages.map(({ weight }) => weight.tokens);
  const tokens = splitInProportion(estimated, total);
  return estimated.map((tokensEstimated, at) => ({ tokens: tokens[at] ?? 0, tokensEstimated }));
}
