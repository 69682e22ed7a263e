import { canonicalJson } from '../context/canonical.js';
import type { ToolDefinition } from '../context/content.js';
import { asString } from '../session/values.js';
import { fitted, levelFor, tokensIn } from './budget.js';

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
  /** Estimated tokens before anything was cut; null: nothing was. */
  readonly cutFrom: number | null;
  /** Names of the tools that are left out. */
  readonly leftOut: readonly string[];
}

/** Cuts descriptions first, the longest ones, and then leaves out the last tools. */
export function fittedTools(tools: readonly ToolDefinition[], maxTokens: number): FittedTools {
  const before = tokensOf(tools);
  if (before <= maxTokens) return { tools, cutFrom: null, leftOut: [] };
  const lengths = tools.map(({ description }) => tokensIn(asString(description) ?? ''));
  // Without its description a tool is as long as its schema.
  const forSchemas = tokensOf(tools.map((tool) => withDescription(tool, '')));
  const level = levelFor(lengths, Math.max(0, maxTokens - forSchemas - tools.length));
  let shown = tools.map((tool) => withDescription(tool, fitted(asString(tool['description']) ?? '', level).text));
  while (shown.length > 0 && tokensOf(shown) > maxTokens) shown = shown.slice(0, -1);
  const leftOut = tools.slice(shown.length).map(({ name }) => asString(name) ?? '');
  return { tools: shown, cutFrom: before, leftOut };
}

function withDescription(tool: ToolDefinition, description: string): ToolDefinition {
  return typeof tool['description'] === 'string' ? { ...tool, description } : tool;
}

function tokensOf(tools: readonly ToolDefinition[]): number {
  return tools.length === 0 ? 0 : tokensIn(JSON.stringify(tools));
}
