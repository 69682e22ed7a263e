import { canonicalJson } from '#base/canonical.js';
import { asString } from '#base/json.js';
import type { ToolDefinition } from '#context/replay/content.js';
import { fitted, levelFor, roomIn, tokensIn } from './budget.js';

/** The same tools in an order and with keys in an order that do not depend on who declared them when. */
export function canonicalTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const texts = tools.map((tool) => ({ name: asString(tool.name) ?? '', text: canonicalJson(tool) }));
  // What a tool was when it was written down is what it is when it is read again.
  return texts.toSorted(byNameAndText).map(({ text }) => JSON.parse(text) as ToolDefinition);
}

type Written = Readonly<Record<'name' | 'text', string>>;

function byNameAndText(one: Written, other: Written): number {
  return compareTexts(one.name, other.name) || compareTexts(one.text, other.text);
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Tools that fit into a budget, and what of them was cut. */
export interface FittedTools {
  readonly tools: readonly ToolDefinition[];
  /** Estimated. */
  readonly tokens: number;
  /** The same before anything was cut; null: nothing was. */
  readonly cutFrom: number | null;
  /** Names of the tools that are left out. */
  readonly leftOut: readonly string[];
}

/** Cuts descriptions first, the longest ones, and then leaves out the last tools. */
export function fittedTools(tools: readonly ToolDefinition[], maxTokens: number): FittedTools {
  const before = tokensOf(tools);
  if (before <= maxTokens) return { tools, tokens: before, cutFrom: null, leftOut: [] };
  const lengths = tools.map(({ description }) => tokensIn(asString(description) ?? ''));
  // Without its description a tool is as long as its schema.
  const forSchemas = tokensOf(tools.map((tool) => withDescription(tool, '')));
  const level = levelFor(lengths, Math.max(0, maxTokens - forSchemas - tools.length));
  const cut = tools.map((tool) => withDescription(tool, fitted(asString(tool['description']) ?? '', level).text));
  const shown = cut.slice(0, howManyFit(cut, roomIn(maxTokens)));
  const leftOut = tools.slice(shown.length).map(({ name }) => asString(name) ?? '');
  return { tools: shown, tokens: tokensOf(shown), cutFrom: before, leftOut };
}

/** How many of the first tools fit into so many UTF-16 code units, as a list in JSON. */
function howManyFit(tools: readonly ToolDefinition[], room: number): number {
  let left = room - '['.length;
  for (const [at, tool] of tools.entries()) {
    left -= JSON.stringify(tool).length + ','.length;
    if (left < 0) return at;
  }
  return tools.length;
}

function withDescription(tool: ToolDefinition, description: string): ToolDefinition {
  return typeof tool['description'] === 'string' ? { ...tool, description } : tool;
}

function tokensOf(tools: readonly ToolDefinition[]): number {
  return tools.length === 0 ? 0 : tokensIn(JSON.stringify(tools));
}
