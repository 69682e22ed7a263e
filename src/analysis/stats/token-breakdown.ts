import { sumBy } from '#base/lists.js';
import { splitInProportion } from '#base/proportion.js';
import type { LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { CATEGORIES, type Category } from '#context/size/composition.js';
import {
  countBlockTokens,
  type CountedBlock,
  countPartTokens,
  countToolTokens,
  countValueTokens,
  type TokenMethod,
} from '#context/size/tokens.js';
import { toBlock } from '#session/entry.js';
import type { EntryContents } from './entry-contents.js';

export type TokenBreakdown = Readonly<Record<Category, number>>;

const EMPTY = Object.fromEntries(CATEGORIES.map((name) => [name, 0])) as Record<Category, number>;

export function buildEmptyBreakdown(): Record<Category, number> {
  return { ...EMPTY };
}

export function sumBreakdown(breakdown: TokenBreakdown): number {
  return sumBy(CATEGORIES, (name) => breakdown[name]);
}

/** Adds contents to a tally, and returns the number of added tokens. `blocksOf`: counts those of the message. */
export function addContents(
  breakdown: Record<Category, number>,
  contents: EntryContents,
  method: TokenMethod,
  blocksOf: (message: LlmMessage) => readonly CountedBlock[] = (message) => countBlockTokens(message, method),
): number {
  const { message, textIs, parts, tools } = contents;
  const system = countPartTokens(parts, method);
  const definitions = countToolTokens(tools, method);
  breakdown.system += system;
  breakdown['tool definitions'] += definitions;
  let tokens = system + definitions;
  if (message === null) return tokens;
  for (const counted of blocksOf(message)) {
    breakdown[categoryOfBlock(counted, textIs)] += counted.tokens;
    tokens += counted.tokens;
  }
  return tokens;
}

function categoryOfBlock({ block }: CountedBlock, textIs: Category): Category {
  switch (toBlock(block).type) {
    case 'image':
      return 'images';
    case 'thinking':
      return 'thinking';
    case 'toolCall':
      return 'tool calls';
    default:
      return textIs;
  }
}

interface NamedTokens {
  readonly name: string;
  readonly tokensEstimated: number;
}

/** The system parts with their tokens, which add up to the total. */
export function countTokensByPart(parts: readonly SystemPart[], method: TokenMethod): readonly NamedTokens[] {
  const tokens = splitInProportion(parts.map(({ text }) => method.count(text)));
  return parts.map(({ name }, at) => ({ name, tokensEstimated: tokens[at] ?? 0 }));
}

/** The tool definitions with their tokens, which add up to the total. */
export function countTokensByTool(tools: readonly ToolDefinition[], method: TokenMethod): readonly NamedTokens[] {
  const total = countToolTokens(tools, method);
  const tokens = splitInProportion(
    tools.map((tool) => countValueTokens(tool, method)),
    total,
  );
  return tools.map(({ name }, at) => ({ name, tokensEstimated: tokens[at] ?? 0 }));
}
