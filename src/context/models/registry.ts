import { memoize } from '#base/memoize.js';
import list from './models.json' with { type: 'json' };
import { type ModelPrices, readPrices } from './prices.js';

/**
 * The models by provider, as `npm run models` writes them. A line lists the models with equal facts: context window,
 * output limit, abilities, efforts, prices, then the ids. `-` is none. Prices are in dollars per million tokens, in the
 * order of `TokenPrices`; after a comma come those of prompts above a number of tokens.
 */
const MODELS: Readonly<Record<string, readonly string[]>> = list.models;

/**
 * Models that sessions have and Pi's list lacks: those of Claude Code, as Pi 0.30 had them, then those of Gemini CLI
 * and Qwen Code, as their providers publish them. Alibaba's prices are those of the international site, with its
 * explicit cache.
 */
const UNLISTED: readonly string[] = [
  '200000 8192 - - 0.8/4/0.08/1 claude-3-5-haiku-20241022',
  '200000 8192 - - 3/15/0.3/3.75 claude-3-5-sonnet-20241022',
  '200000 64000 r - 3/15/0.3/3.75 claude-3-7-sonnet-20250219',
  '200000 4096 - - 0.25/1.25/0.03/0.3 claude-3-haiku-20240307',
  '200000 4096 - - 15/75/1.5/18.75 claude-3-opus-20240229',
  '200000 32000 r - 15/75/1.5/18.75 claude-opus-4-20250514 claude-opus-4-1-20250805',
  '200000 64000 r - 3/15/0.3/3.75 claude-sonnet-4-20250514',
  '1048576 65536 r off=,minimal=,low=low,medium=,high=high,xhigh=,max= 2/12/0.2/0,200000:4/18/0.4/0 gemini-3-pro-preview gemini-3-pro gemini-3-pro-preview-11-2025',
  '1000000 65536 - - 1/5/0.1/1.25,32000:1.8/9/0.18/2.25,128000:3/15/0.3/3.75,256000:6/60/0.6/7.5 qwen3-coder-plus',
  '262144 65536 - - 1.2/6/0.12/1.5,32000:2.4/12/0.24/3,128000:3/15/0.3/3.75 qwen3-max qwen3-max-preview',
];

/** The facts about a model in Pi's list. Tokens are whole numbers. */
export interface ModelInfo {
  readonly contextWindow: number;
  /** The maximum number of output tokens. */
  readonly maxOutput: number;
  /** Whether it supports thinking. */
  readonly thinks: boolean;
  /** Whether thinking is set by an effort, not by a number of tokens. */
  readonly thinksByEffort: boolean;
  /** The provider's name of each thinking level that has its own; null if the model rejects the level. */
  readonly efforts: ReadonlyMap<string, string | null>;
  /** null for a model that is free, or without listed prices. */
  readonly prices: ModelPrices | null;
}

/** A model as sessions name it. */
export interface ModelName {
  readonly provider?: string | undefined;
  readonly modelId?: string | undefined;
}

/**
 * The facts about a model: by provider and id; else by the id at the first provider of the list with it; else by the id
 * without parts for a version, a region or a variant. null for a model that is not in the list.
 */
export function findModelInfo({ provider, modelId }: ModelName): ModelInfo | null {
  if (modelId === undefined || modelId === '') return null;
  const { before, after } = splitAt(modelId, '/');
  const line =
    findLine(provider, modelId) ??
    // Agents may write "provider/id".
    findLine(before, after) ??
    findFirst((other) => findLine(other, modelId)) ??
    findFirst((other) => findSimilarLine(MODELS[other], simplifyId(modelId))) ??
    findSimilarLine(UNLISTED, simplifyId(modelId));
  return line === null ? null : parseModelInfo(line);
}

/** Whether a name such as `anthropic/claude-sonnet-4-5` is in the list of models, letter by letter. */
export function isListedModel(name: string): boolean {
  const { before: provider, after: modelId } = splitAt(name, '/');
  return findLine(provider, modelId) !== null;
}

/** The context window of a model in tokens; null for a model that is not in the list. */
export function findAssumedWindow(model: ModelName): number | null {
  return findModelInfo(model)?.contextWindow ?? null;
}

/** The prices of a model named `provider/id`, each looked up once; null for a model without them. */
export function buildPriceList(): (model: string) => ModelPrices | null {
  return memoize((model) => {
    const { before: provider, after: modelId } = splitAt(model, '/');
    return findModelInfo({ provider, modelId })?.prices ?? null;
  });
}

function findFirst(find: (provider: string) => string | null): string | null {
  for (const provider of Object.keys(MODELS)) {
    const line = find(provider);
    if (line !== null) return line;
  }
  return null;
}

/** The line of an id with exactly this spelling. */
function findLine(provider: string | undefined, id: string): string | null {
  const lines = provider !== undefined && Object.hasOwn(MODELS, provider) ? MODELS[provider] : undefined;
  return chooseLine(lines, (other) => other === id);
}

function findSimilarLine(lines: readonly string[] | undefined, plain: string): string | null {
  const stem = plain.split('-', 1)[0] ?? plain;
  // Most ids are distinguished by their stem, without normalising each.
  return chooseLine(lines, (id) => id.toLowerCase().includes(stem) && simplifyId(id) === plain);
}

function chooseLine(lines: readonly string[] = [], isWanted: (id: string) => boolean): string | null {
  return lines.find((line) => listIds(line).some(isWanted)) ?? null;
}

function listIds(line: string): readonly string[] {
  return line.split(' ').slice(FACTS_BEFORE_IDS);
}

/** Window, output, abilities, efforts and prices. */
const FACTS_BEFORE_IDS = 5;

/** An id without the vendor, the region, the date and the variant that providers add. */
function simplifyId(id: string): string {
  return id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|openai|meta|amazon|mistral)\./, '')
    .replace(/(?:[:@[].*|-v\d+(?::\d+)?)$/, '')
    .replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/, '')
    .replaceAll('.', '-');
}

function parseModelInfo(line: string): ModelInfo {
  const [contextWindow, maxOutput, abilities = '', efforts = '', prices = ''] = line.split(' ');
  return {
    contextWindow: Number(contextWindow),
    maxOutput: Number(maxOutput),
    // Reasoning, and reasoning that the model adapts to an effort.
    thinks: abilities.includes('r'),
    thinksByEffort: abilities.includes('a'),
    efforts: new Map(efforts === '-' ? [] : efforts.split(',').map(readEffort)),
    prices: readPrices(prices),
  };
}

/** Reads an effort such as `high=high`; one without a name, such as `max=`, is of a level that the model rejects. */
function readEffort(text: string): [level: string, effort: string | null] {
  const { before, after } = splitAt(text, '=');
  return [before, after === '' ? null : after];
}

/** Splits a text at the first mark; without one, all of it is after. */
function splitAt(text: string, mark: string): { readonly before: string; readonly after: string } {
  const at = text.indexOf(mark);
  return at === -1 ? { before: '', after: text } : { before: text.slice(0, at), after: text.slice(at + 1) };
}
