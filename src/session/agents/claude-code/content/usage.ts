import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { ClientTotals } from '../../define.js';

/** The tokens of a recorded usage, or of one of its iterations, under Pi's names. */
export function readCounts(usage: JsonObject): JsonObject {
  const counts = readTokens(usage);
  const cacheWrite1h = readHourWrites(asObject(usage['cache_creation']));
  const recorded = Object.entries({ ...counts, cacheWrite1h }).filter(([, count]) => count !== null);
  return { ...Object.fromEntries(recorded), ...(recorded.length > 0 ? { totalTokens: sumTokens(counts) } : {}) };
}

/**
 * The tokens that were written to a cache of one hour; null where the split is not recorded, or nothing was written.
 */
function readHourWrites(writes: JsonObject): number | null {
  const long = asCount(writes['ephemeral_1h_input_tokens']);
  const short = asCount(writes['ephemeral_5m_input_tokens']);
  return (long ?? 0) + (short ?? 0) === 0 ? null : (long ?? 0);
}

type Tokens = Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number | null>;

function readTokens(usage: JsonObject): Tokens {
  return {
    input: asCount(usage['input_tokens']),
    output: asCount(usage['output_tokens']),
    cacheRead: asCount(usage['cache_read_input_tokens']),
    cacheWrite: asCount(usage['cache_creation_input_tokens']),
  };
}

function sumTokens(tokens: Tokens): number {
  return Object.values(tokens).reduce<number>((all, count) => all + (count ?? 0), 0);
}

/** The facts that change the price of a call: its speed, its region, its tier and its searches. */
export function readModifiers(usage: JsonObject): JsonObject {
  const texts = { speed: usage['speed'], inferenceGeo: usage['inference_geo'], serviceTier: usage['service_tier'] };
  const unusual = Object.entries(texts).filter(([, text]) => typeof text === 'string' && !USUAL.has(text));
  const webSearches = asCount(asObject(usage['server_tool_use'])['web_search_requests']) ?? 0;
  return { ...Object.fromEntries(unusual), ...(webSearches > 0 && { webSearches }) };
}

/** The values that change nothing. */
const USUAL: ReadonlySet<string> = new Set(['', 'standard', 'global', 'not_available']);

/**
 * An answer may take several calls: the samplings that its usage adds up, and calls beside it, such as those of an
 * advisor. The samplings are kept if there are several.
 */
export function readIterations(usage: JsonObject): JsonObject {
  const all = listObjects(usage['iterations']);
  if (all.length === 0) return {};
  const within = findSamplings(usage, all);
  const sideCalls = all.filter((one) => !within.includes(one)).map((one) => buildSideCall(one, usage));
  return {
    ...(within.length > 1 && { samplings: within.map((one) => readCounts(one)) }),
    ...(sideCalls.length > 0 && { sideCalls }),
  };
}

/** A call beside an answer. Without a model it is of the model of the answer, and runs where and as fast as that. */
function buildSideCall(iteration: JsonObject, usage: JsonObject): JsonObject {
  const model = asString(iteration['model']);
  const { webSearches: _, ...place } = readModifiers(usage);
  const { speed, ...others } = place;
  const own = model === null && typeof speed === 'string' ? { speed } : {};
  return {
    type: asString(iteration['type']) ?? 'other',
    ...(model === null ? {} : { model }),
    ...readCounts(iteration),
    ...others,
    ...own,
    ...readModifiers(iteration),
    cost: {},
  };
}

/**
 * The iterations that add up to a usage. Whether it includes an iteration of a kind depends on the version of the
 * provider's API, so the sums decide; where none fits, those of advisors and compactions are beside it.
 */
function findSamplings(usage: JsonObject, all: readonly JsonObject[]): readonly JsonObject[] {
  const own = all.filter(({ type }) => !BESIDE.has(type));
  const wholes = [own, all, own.filter(({ type }) => type === 'message'), own.slice(-1)];
  const totals = readTokens(usage);
  return wholes.find((some) => doAddUp(totals, some)) ?? own;
}

const BESIDE: ReadonlySet<unknown> = new Set(['advisor_message', 'compaction']);

function doAddUp(totals: Tokens, some: readonly JsonObject[]): boolean {
  const counts = some.map(readTokens);
  const keys = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  return keys.every((key) => counts.reduce((sum, one) => sum + (one[key] ?? 0), 0) === (totals[key] ?? 0));
}

/** The sums that the client writes when it ends, since 2.1.290; null for a record that it would not read again. */
export function readClientTotals({ totalCostUSD, modelUsage }: JsonObject, line: number): ClientTotals | null {
  const cost = asCount(totalCostUSD);
  if (cost === null || cost < 0 || !isObject(modelUsage)) return null;
  const models = Object.entries(modelUsage).flatMap(([model, sums]) =>
    isObject(sums) ? [{ model: model.replace(/\[1m\]$/, ''), usage: readModelTotals(sums) }] : [],
  );
  return { line, cost, models };
}

function readModelTotals(sums: JsonObject): JsonObject {
  const counts = {
    input: sums['inputTokens'],
    output: sums['outputTokens'],
    cacheRead: sums['cacheReadInputTokens'],
    cacheWrite: sums['cacheCreationInputTokens'],
    webSearches: sums['webSearchRequests'],
  };
  const numbers = Object.entries(counts).map(([key, count]) => [key, Math.max(0, asCount(count) ?? 0)] as const);
  return { ...Object.fromEntries(numbers), cost: { total: Math.max(0, asCount(sums['costUSD']) ?? 0) } };
}
