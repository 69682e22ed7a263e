import { sumBy } from '#base/lists.js';
import { splitInProportion } from '#base/proportion.js';
import { addToKind, sumByKind } from '#context/contents/contents.js';
import type { SystemPart, ToolDefinition } from '#context/replay/content.js';
import { CATEGORIES, type Category } from '#context/size/categories.js';
import { listMessagePieces, listSystemPieces } from '#context/size/content-pieces.js';
import type { KindWeights } from '#context/size/kind-sizes.js';
import {
  countPartTokens,
  countToolTokens,
  countValueTokens,
  type TokenMethod,
  weighMessage,
} from '#context/size/tokens.js';
import type { EntryContents } from './entry-contents.js';

/** The estimated tokens of entries. The kinds of contents add up to the categories. */
export interface TokenBreakdown extends KindWeights {
  readonly categories: Readonly<Record<Category, number>>;
}

/** A breakdown that grows. */
export interface BreakdownTally extends TokenBreakdown {
  readonly categories: Record<Category, number>;
  readonly declared: number[];
  readonly messages: number[];
}

export function buildEmptyBreakdown(): BreakdownTally {
  const categories = Object.fromEntries(CATEGORIES.map((name) => [name, 0])) as Record<Category, number>;
  return { categories, declared: sumByKind([]), messages: sumByKind([]) };
}

export function sumBreakdown({ categories }: TokenBreakdown): number {
  return sumBy(CATEGORIES, (name) => categories[name]);
}

/** The sum of breakdowns. */
export function addBreakdowns(all: readonly TokenBreakdown[]): TokenBreakdown {
  const total = buildEmptyBreakdown();
  for (const { categories, declared, messages } of all) {
    for (const name of CATEGORIES) total.categories[name] += categories[name];
    for (const [at, tokens] of declared.entries()) total.declared[at] = (total.declared[at] ?? 0) + tokens;
    for (const [at, tokens] of messages.entries()) total.messages[at] = (total.messages[at] ?? 0) + tokens;
  }
  return total;
}

/** Adds contents to a tally, and returns the number of added tokens. */
export function addContents(tally: BreakdownTally, contents: EntryContents, method: TokenMethod): number {
  const { message, textCategory, customType, parts, tools } = contents;
  const system = countPartTokens(parts, method);
  const definitions = countToolTokens(tools, method);
  tally.categories.system += system;
  tally.categories['tool definitions'] += definitions;
  for (const { kind, tokens } of listSystemPieces(parts, method)) addToKind(tally.declared, kind, tokens);
  addToKind(tally.declared, 'tools', definitions);
  if (message === null) return system + definitions;
  const weight = weighMessage(message, method, customType);
  for (const { category, kind, tokens } of listMessagePieces({ weight, textCategory, tool: null })) {
    tally.categories[category] += tokens;
    addToKind(tally.messages, kind, tokens);
  }
  return system + definitions + weight.tokens;
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
