import { canonicalJson } from '#base/canonical-json.js';
import { asString } from '#base/json.js';
import { compareTexts, sliceStart } from '#base/text.js';
import type { ToolDefinition } from '#context/replay/content.js';
import { CHARACTERS_PER_TOKEN } from '#context/size/tokens.js';

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
  /** The tools before any were cut; null: none were. */
  readonly cutFrom: number | null;
  /** Names of the tools that are left out. */
  readonly leftOut: readonly string[];
}

/** Cuts descriptions first, the longest ones, and then leaves out the last tools. */
export function fitTools(tools: readonly ToolDefinition[], maxTokens: number): FittedTools {
  const before = tokensOf(tools);
  if (before <= maxTokens) return { tools, tokens: before, cutFrom: null, leftOut: [] };
  const lengths = tools.map(({ description }) => countTextTokens(asString(description) ?? ''));
  // Without its description a tool is as long as its schema.
  const forSchemas = tokensOf(tools.map((tool) => withDescription(tool, '')));
  const level = findCutLevel(lengths, Math.max(0, maxTokens - forSchemas - tools.length));
  const cut = tools.map((tool) => withDescription(tool, fitText(asString(tool['description']) ?? '', level).text));
  const shown = cut.slice(0, howManyFit(cut, toTextLength(maxTokens)));
  const leftOut = tools.slice(shown.length).map(({ name }) => asString(name) ?? '');
  return { tools: shown, tokens: tokensOf(shown), cutFrom: before, leftOut };
}

/** The number of first tools whose JSON list fits into `room` UTF-16 code units. */
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
  return tools.length === 0 ? 0 : countTextTokens(JSON.stringify(tools));
}

/** Tokens of a text by Pi's estimate, by which all budgets are counted. */
export function countTextTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** The maximum length of a text of `maxTokens` tokens, in UTF-16 code units. */
export function toTextLength(maxTokens: number): number {
  return Math.max(0, Math.floor(maxTokens)) * CHARACTERS_PER_TOKEN;
}

/**
 * Truncates a text to `maxTokens` tokens, at a line break if that keeps most of it. A last line, which counts too, states
 * the original size. If the budget has no room for that line, the text is dropped. `cutFrom`: its tokens before it was
 * cut; null: it was not.
 */
export function fitText(text: string, maxTokens: number): { readonly text: string; readonly cutFrom: number | null } {
  const room = toTextLength(maxTokens);
  if (text.length <= room) return { text, cutFrom: null };
  const note = `[cut: ${countTextTokens(text)} tokens, and the budget is ${Math.floor(maxTokens)}]`;
  const left = room - note.length - 1;
  const cutFrom = countTextTokens(text);
  if (left < 0) return { text: note.length <= room ? note : '', cutFrom };
  const beginning = beginningOf(text, left);
  return { text: beginning === '' ? note : `${beginning}\n${note}`, cutFrom };
}

/** Whole lines, unless most of the room would stay empty; never half of a character. */
function beginningOf(text: string, most: number): string {
  const beginning = sliceStart(text, Math.max(0, most));
  const lastLine = beginning.lastIndexOf('\n');
  return (lastLine >= most / 2 ? beginning.slice(0, lastLine) : beginning).trimEnd();
}

/**
 * The most that each of several texts may take, in tokens, so that together they fit: what is short stays whole, and what
 * is long is cut to one length.
 */
export function findCutLevel(lengths: readonly number[], maxTokens: number): number {
  let room = Math.max(0, maxTokens);
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of ascending.entries()) {
    const share = room / (ascending.length - at);
    if (length > share) return Math.floor(share);
    room -= length;
  }
  return Infinity;
}
