import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { splitInProportion } from '#base/proportion.js';
import type { LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { readEntryMessage, readSummaryMessage, toLlmMessage } from '#context/replay/convert.js';
import { CATEGORIES, type Category, categoryOf } from '#context/size/composition.js';
import {
  countBlockTokens,
  type CountedBlock,
  countPartTokens,
  countToolTokens,
  countValueTokens,
  readPromptUsage,
  readRecordedTokens,
  readUsageNumbers,
  type TokenMethod,
} from '#context/size/tokens.js';
import type { Calibration } from './document.js';

export type TokenBreakdown = Readonly<Record<Category, number>>;

const EMPTY = Object.fromEntries(CATEGORIES.map((name) => [name, 0])) as Record<Category, number>;

export function buildEmptyBreakdown(): Record<Category, number> {
  return { ...EMPTY };
}

export function sumBreakdown(ledger: TokenBreakdown): number {
  return sumBy(CATEGORIES, (name) => ledger[name]);
}

/** The contents that an entry adds to the context, as they would be sent. */
export interface EntryContents {
  readonly message: LlmMessage | null;
  readonly textIs: Category;
  readonly parts: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
}

/** null for an entry without contents of its own. The other effects of a transform are visible only in the context. */
export function readEntryContents(entry: JsonObject): EntryContents | null {
  const { type, systemMessage } = entry;
  if (type === 'context_transform') return declaredBy(listObjects(entry['patch']));
  if (type === 'compaction') {
    const message = toLlmMessage(readSummaryMessage(entry));
    return { message, textIs: 'summaries', ...declaredIn(asObject(systemMessage)) };
  }
  const contribution = readEntryMessage(entry);
  if (contribution === null) return null;
  const { role } = contribution;
  if (role === 'system') return { message: null, textIs: 'system', ...declaredIn(contribution) };
  return { message: toLlmMessage(contribution), textIs: categoryOf(role), parts: [], tools: [] };
}

/** Adds contents to a tally, and returns the number of added tokens. `blocksOf`: counts those of the message. */
export function addContents(
  ledger: Record<Category, number>,
  contents: EntryContents,
  method: TokenMethod,
  blocksOf: (message: LlmMessage) => readonly CountedBlock[] = (message) => countBlockTokens(message, method),
): number {
  const { message, textIs, parts, tools } = contents;
  const system = countPartTokens(parts, method);
  const definitions = countToolTokens(tools, method);
  ledger.system += system;
  ledger['tool definitions'] += definitions;
  let tokens = system + definitions;
  if (message === null) return tokens;
  for (const counted of blocksOf(message)) {
    ledger[categoryOfBlock(counted, textIs)] += counted.tokens;
    tokens += counted.tokens;
  }
  return tokens;
}

function categoryOfBlock({ block }: CountedBlock, textIs: Category): Category {
  switch (block['type']) {
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

/** The prompt and the tools that a transform declares, as other agents record them. */
function declaredBy(patch: readonly JsonObject[]): EntryContents | null {
  const valuesOf = (name: string, key: string): readonly JsonObject[] =>
    patch.flatMap((op) => (op['op'] === name ? listObjects(op[key]) : []));
  const parts = valuesOf('system_parts_replace', 'parts').flatMap(({ name, text }) =>
    typeof name === 'string' && typeof text === 'string' ? { name, text } : [],
  );
  // As above.
  const tools = valuesOf('tools_replace', 'tools') as readonly ToolDefinition[];
  return parts.length + tools.length === 0 ? null : { message: null, textIs: 'system', parts, tools };
}

/** The declarations of a system message itself: removals add nothing. */
function declaredIn(message: JsonObject): { parts: readonly SystemPart[]; tools: readonly ToolDefinition[] } {
  const { content, sections, toolsAdded } = message;
  const texts = [
    ['content', typeof content === 'string' ? content : listObjects(content).map(textIn).join('')] as const,
    ...Object.entries(asObject(sections)),
  ];
  return {
    parts: texts.flatMap(([name, text]) => (typeof text === 'string' && text !== '' ? { name, text } : [])),
    // A definition may be anything; it is only measured.
    tools: listObjects(toolsAdded) as readonly ToolDefinition[],
  };
}

function textIn({ type, text }: JsonObject): string {
  return type === 'text' && typeof text === 'string' ? text : '';
}

/** One request: a provider's count of its prompt, and the estimate. */
export interface Sample {
  readonly recorded: number;
  readonly estimated: number;
}

/** null if no request can be compared. */
export function buildCalibration(samples: readonly Sample[]): Calibration | null {
  const usable = samples.filter(({ recorded, estimated }) => recorded > 0 && estimated > 0);
  const ratios = sortAscending(usable.map(({ recorded, estimated }) => recorded / estimated));
  const errors = sortAscending(usable.map(({ recorded, estimated }) => Math.abs(estimated - recorded) / recorded));
  const [median, p10, p90] = [findQuantile(ratios, 0.5), findQuantile(ratios, 0.1), findQuantile(ratios, 0.9)];
  const medianError = findQuantile(errors, 0.5);
  if (median === null || p10 === null || p90 === null || medianError === null) return null;
  return { requests: usable.length, recordedPerEstimated: { median, p10, p90 }, medianError };
}

/** The prompt tokens that a provider counted for the request of an assistant message; null if they are not trustworthy. */
export function readRecordedPrompt(message: JsonObject): number | null {
  // The entry confirms that it is an assistant message.
  if (readRecordedTokens(message as LlmMessage) === null || !isObject(message['usage'])) return null;
  const { input, cacheRead, cacheWrite } = readUsageNumbers(readPromptUsage(message['usage']));
  const prompt = input + cacheRead + cacheWrite;
  return prompt > 0 ? prompt : null;
}

/** Whether a message comes from a model of the Claude family, of any provider. */
export function isClaudeAnswer({ provider, model }: JsonObject): boolean {
  return provider === 'anthropic' || /claude/i.test(asString(model) ?? '');
}

/**
 * The number of Claude tokens per counted one. If prompt and tools are not recorded, their size is unknown but
 * constant, so only the growth of prompts is compared. null if nothing can be compared.
 */
export function measureCalibrationFactor(samples: readonly Sample[], isPreambleRecorded: boolean): number | null {
  if (isPreambleRecorded) return buildCalibration(samples)?.recordedPerEstimated.median ?? null;
  let [recorded, estimated] = [0, 0];
  for (const [at, sample] of samples.entries()) {
    const before = samples[at - 1];
    if (!before || sample.estimated <= before.estimated || sample.recorded <= before.recorded) continue;
    recorded += sample.recorded - before.recorded;
    estimated += sample.estimated - before.estimated;
  }
  return estimated > 0 ? recorded / estimated : null;
}

/** The value that a share of all values does not exceed, by nearest rank; null if there are none. */
export function findQuantile(sorted: ArrayLike<number>, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

export function sortAscending(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).toSorted();
}
