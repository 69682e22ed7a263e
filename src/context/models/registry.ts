import { MODELS } from './data.js';
import { type ModelPrices, pricesIn } from './prices.js';

/** What is known of a model from the list that Pi has. Tokens are whole numbers. */
export interface ModelFacts {
  readonly contextWindow: number;
  /** The most that it writes at once. */
  readonly maxOutput: number;
  /** Whether it thinks before it answers. */
  readonly thinks: boolean;
  /** Whether it is told an effort, and not a number of tokens for thinking. */
  readonly thinksByEffort: boolean;
  /** The provider's word for each level of thinking that has one of its own; null where the model refuses the level. */
  readonly efforts: ReadonlyMap<string, string | null>;
  /** null for a model that is free, or whose prices the list does not have. */
  readonly prices: ModelPrices | null;
}

/** A model as sessions name it. */
export interface ModelName {
  readonly provider?: string | undefined;
  readonly modelId?: string | undefined;
}

/**
 * The facts of a model: by provider and id; else by the id at the first provider of the list that has it; else by the id
 * without what names a version, a region or a variant. null for a model that the list lacks.
 */
export function modelFacts({ provider, modelId }: ModelName): ModelFacts | null {
  if (modelId === undefined || modelId === '') return null;
  const [before, after] = splitAt(modelId, '/');
  const line =
    lineOf(provider, modelId) ??
    // oh-my-pi writes "provider/id".
    lineOf(before, after) ??
    firstOf((other) => lineOf(other, modelId)) ??
    firstOf((other) => similarLine(other, plainId(modelId)));
  return line === null ? null : factsIn(line);
}

/** The context window of a model in tokens; null for a model that the list lacks. */
export function assumedWindow(model: ModelName): number | null {
  return modelFacts(model)?.contextWindow ?? null;
}

/** The prices of a model that is named `provider/id`, each looked up once; null for a model without them. */
export function priceList(): (model: string) => ModelPrices | null {
  const known = new Map<string, ModelPrices | null>();
  return (model) => {
    const found = known.get(model);
    if (found !== undefined) return found;
    const [provider, modelId] = splitAt(model, '/');
    const prices = modelFacts({ provider, modelId })?.prices ?? null;
    known.set(model, prices);
    return prices;
  };
}

function firstOf(find: (provider: string) => string | null): string | null {
  for (const provider of Object.keys(MODELS)) {
    const line = find(provider);
    if (line !== null) return line;
  }
  return null;
}

/** The line of an id that is spelt exactly so. */
function lineOf(provider: string | undefined, id: string): string | null {
  return lineWith(provider, (other) => other === id);
}

function similarLine(provider: string, plain: string): string | null {
  const stem = plain.split('-', 1)[0] ?? plain;
  // Most ids are told apart by their stem, without a plain form of each.
  return lineWith(provider, (id) => id.toLowerCase().includes(stem) && plainId(id) === plain);
}

function lineWith(provider: string | undefined, isWanted: (id: string) => boolean): string | null {
  if (provider === undefined || !Object.hasOwn(MODELS, provider)) return null;
  const lines = (MODELS[provider] ?? '').trim().split('\n');
  return lines.find((line) => idsIn(line).some(isWanted)) ?? null;
}

function idsIn(line: string): readonly string[] {
  return line.split(' ').slice(FACTS);
}

/** Window, output, abilities, efforts and prices come before the ids. */
const FACTS = 5;

/** An id without the vendor, the region, the date and the variant that providers put around it. */
function plainId(id: string): string {
  return id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|openai|meta|amazon|mistral)\./, '')
    .replace(/(?:[:@[].*|-v\d+(?::\d+)?)$/, '')
    .replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/, '')
    .replaceAll('.', '-');
}

function factsIn(line: string): ModelFacts {
  const [contextWindow, maxOutput, abilities = '', efforts = '', prices = ''] = line.split(' ');
  return {
    contextWindow: Number(contextWindow),
    maxOutput: Number(maxOutput),
    thinks: abilities.includes('r'),
    thinksByEffort: abilities.includes('a'),
    efforts: new Map(efforts === '-' ? [] : efforts.split(',').map(effortIn)),
    prices: pricesIn(prices),
  };
}

function effortIn(text: string): [level: string, effort: string | null] {
  const [level, effort] = splitAt(text, '=');
  return [level, effort === '' ? null : effort];
}

function splitAt(text: string, mark: string): readonly [before: string, after: string] {
  const at = text.indexOf(mark);
  return at === -1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)];
}
