import { canonicalJson } from '#base/canonical-json.js';
import { asString } from '#base/json.js';
import { compareTexts } from '#base/text.js';
import type { ToolDefinition } from '#context/replay/content.js';
import { countTextTokens, findCutLevel, fitText, toTextLength } from './text-budget.js';

/** Sorts tools and the keys in them, so that the order does not depend on when they were declared. */
export function sortTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const texts = tools.map((tool) => ({ name: asString(tool.name) ?? '', text: canonicalJson(tool) }));
  return (
    texts
      .toSorted((one, other) => compareTexts(one.name, other.name) || compareTexts(one.text, other.text))
      // A tool is the same after it was written and re-read.
      .map(({ text }) => JSON.parse(text) as ToolDefinition)
  );
}

/** Tools that fit into a budget, and what of them was cut. */
export interface FittedTools {
  readonly tools: readonly ToolDefinition[];
  /** Estimated. */
  readonly tokens: number;
  /** The estimated tokens of all tools before a cut; null if nothing was cut. */
  readonly cutFrom: number | null;
  /** Names of the tools that are left out. */
  readonly leftOut: readonly string[];
}

/** Cuts descriptions first, the longest ones, and then leaves out the last tools. */
export function fitTools(tools: readonly ToolDefinition[], maxTokens: number): FittedTools {
  const before = countTokens(tools);
  if (before <= maxTokens) return { tools, tokens: before, cutFrom: null, leftOut: [] };
  const lengths = tools.map(({ description }) => countTextTokens(asString(description) ?? ''));
  // A tool without its description has the length of its schema.
  const forSchemas = countTokens(tools.map((tool) => replaceDescription(tool, '')));
  // One token for each tool is kept back, since its cut description is rounded.
  const level = findCutLevel(lengths, Math.max(0, maxTokens - forSchemas - tools.length));
  const cut = tools.map((tool) => replaceDescription(tool, fitText(asString(tool.description) ?? '', level).text));
  const shown = cut.slice(0, countFitting(cut, toTextLength(maxTokens)));
  const leftOut = tools.slice(shown.length).map(({ name }) => asString(name) ?? '');
  return { tools: shown, tokens: countTokens(shown), cutFrom: before, leftOut };
}

/** The number of first tools whose JSON list fits into `room` UTF-16 code units. */
function countFitting(tools: readonly ToolDefinition[], room: number): number {
  let left = room - '['.length;
  for (const [at, tool] of tools.entries()) {
    left -= JSON.stringify(tool).length + ','.length;
    if (left < 0) return at;
  }
  return tools.length;
}

function replaceDescription(tool: ToolDefinition, description: string): ToolDefinition {
  return typeof tool.description === 'string' ? { ...tool, description } : tool;
}

function countTokens(tools: readonly ToolDefinition[]): number {
  return tools.length === 0 ? 0 : countTextTokens(JSON.stringify(tools));
}
