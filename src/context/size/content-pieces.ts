import { asString } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { splitInProportion } from '#base/proportion.js';
import type { WeighedPiece } from '../contents/contents.js';
import type { ContentKind } from '../contents/kinds.js';
import { labelSystemPart } from '../contents/prompt-sections.js';
import { findToolServer } from '../contents/tool-server.js';
import type { SystemPart, ToolDefinition } from '../replay/content.js';
import type { Category } from './categories.js';
import { countPartTokens, countToolTokens, countValueTokens, textTokensOf, type TokenMethod } from './tokens.js';
import type { WeighedMessage } from './weighed-message.js';

/** The pieces of a system prompt, which add up to its estimate. */
export function listSystemPieces(parts: readonly SystemPart[], method: TokenMethod): readonly WeighedPiece[] {
  const pieces = parts.flatMap(labelSystemPart);
  const weights = pieces.map(({ text }) => method.count(text));
  const tokens = splitInProportion(weights, countPartTokens(parts, method));
  return pieces.map(({ kind, name, item }, at) => ({ kind, name, item, tokens: tokens[at] ?? 0 }));
}

/** The pieces of tool definitions that are all sent, which add up to their estimate. */
export function listToolPieces(tools: readonly ToolDefinition[], method: TokenMethod): readonly WeighedPiece[] {
  const weights = tools.map((tool) => countValueTokens(tool, method));
  const tokens = splitInProportion(weights, countToolTokens(tools, method));
  return tools.map(({ name }, at) => toToolPiece(asString(name) ?? '?', tokens[at] ?? 0));
}

/** The piece of a tool definition. */
export function toToolPiece(tool: string, tokens: number): WeighedPiece {
  return { kind: 'tools', name: findToolServer(tool), item: tool, tokens };
}

/** A piece of a message, with the category of the message or of the block that has it. */
export interface MessagePiece extends WeighedPiece {
  readonly category: Category;
}

/** The pieces of a message, which add up to its estimate: what an agent added by itself, and the rest. */
export function listMessagePieces({ weight, textCategory, tool }: WeighedMessage): readonly MessagePiece[] {
  const { labelled, thinking, calls, images } = weight;
  const added = sumBy(labelled, (piece) => piece.tokens);
  const all: readonly MessagePiece[] = [
    ...labelled.map((piece) => ({ ...piece, category: textCategory })),
    { category: textCategory, kind: toKind(textCategory), name: tool, tokens: textTokensOf(weight) - added },
    { category: 'thinking', kind: 'thinking', name: null, tokens: thinking },
    { category: 'tool calls', kind: 'tool calls', name: null, tokens: calls },
    { category: 'images', kind: 'images', name: null, tokens: images },
  ];
  return all.filter(({ tokens }) => tokens > 0);
}

/** The kind of content in a category, apart from what an agent added by itself. */
function toKind(category: Category): ContentKind {
  if (category === 'system') return 'prompt';
  return category === 'tool definitions' ? 'tools' : category;
}
