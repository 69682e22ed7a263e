import type { JsonObject } from '#base/json.js';
import type { PriceList } from '#context/models/prices.js';
import { readUsageNumbers } from '#context/size/recorded-usage.js';
import type { ClientTotals } from '#session/agents/define.js';
import { addCostParts, type CostParts, NO_COST_PARTS, scaleCostParts, splitCost, sumDollars } from './cost-parts.js';
import type { UsageSource } from './usage-sources.js';
import { addUsageSums, NO_USAGE, sumKnownCost, sumUsage, type UsageCounts, type UsageSums } from './usage-sums.js';

/**
 * The client's own figure for a session. `notInFile`: the part that neither its file nor the files of its subagents
 * contain.
 */
export interface ClientFigure {
  /** Dollars. */
  readonly cost: number;
  readonly notInFile: UsageSums;
}

/** Usage with the calls that only the sums of the client contain, and with its costs. */
export interface CompletedUsage {
  readonly counts: UsageCounts;
  readonly client: ClientFigure;
}

/**
 * Adds what a client counted beyond the calls in a file. Where the client counted all of a model's calls, its cost
 * replaces listed prices.
 */
export function addClientTotals(
  own: UsageCounts,
  client: ClientTotals,
  { covered, elsewhere, day, findGroup, priceList }: ClientTotalsSource,
): CompletedUsage {
  const byModel = new Map(own.byModel);
  const partsByModel = new Map(own.partsByModel);
  let byGroup = own.byGroup;
  const add = (key: string, rest: UsageSums): void => {
    const parts = partsByModel.get(key) ?? NO_COST_PARTS;
    partsByModel.set(key, addRestParts(parts, key, rest, priceList));
    if (findGroup) byGroup = addRest(byGroup, findGroup(key), rest);
  };

  let notInFile = NO_USAGE;
  /** Dollars at listed prices that the client's cost replaces, and all dollars that it names a model for. */
  let replaced = 0;
  let charged = 0;
  for (const { model, usage } of client.models) {
    charged += readUsageNumbers(usage).cost ?? 0;
    const key = [...own.byModel.keys()].find((name) => readModelId(name) === model) ?? `${findProvider(own)}/${model}`;
    const inFile = sumModel(model, [covered]);
    const counted = addUsageSums(inFile, sumModel(model, elsewhere));
    const rest = measureRest(usage, counted);
    if (rest === null) continue;
    notInFile = addUsageSums(notInFile, rest);
    add(key, rest);
    replaced += inFile.costListed;
    const paid = toRecordedCost(inFile.costListed);
    byModel.set(key, addUsageSums(addUsageSums(byModel.get(key) ?? NO_USAGE, rest), paid));
  }

  const unnamed = client.cost - charged;
  if (unnamed > LEAST_DOLLARS) {
    const rest = { ...NO_USAGE, cost: unnamed };
    notInFile = addUsageSums(notInFile, rest);
    add(UNNAMED, rest);
    byModel.set(UNNAMED, addUsageSums(byModel.get(UNNAMED) ?? NO_USAGE, rest));
  }

  const usage = addUsageSums(addUsageSums(own.usage, notInFile), toRecordedCost(replaced));
  return {
    counts: {
      usage: dropDust(usage),
      byModel: new Map([...byModel].map(([key, sums]) => [key, dropDust(sums)])),
      bySource: addRest<UsageSource>(own.bySource, 'side calls', notInFile),
      byDay: addRest(own.byDay, day, notInFile),
      byGroup,
      partsByModel,
    },
    client: { cost: client.cost, notInFile },
  };
}

interface ClientTotalsSource {
  /** The calls before the record. */
  readonly covered: UsageCounts;
  /** The calls of subagents, in files of their own. */
  readonly elsewhere: readonly UsageCounts[];
  /** The day of the calls that are in no file. */
  readonly day: string;
  /** The group of a model's calls that are in no file. */
  readonly findGroup: ((model: string) => string) | null;
  readonly priceList: PriceList;
}

/** Adds the calls that are in no file. A difference without tokens is one of prices. */
function addRestParts(parts: CostParts, model: string, rest: UsageSums, priceList: PriceList): CostParts {
  const { input, output, cacheRead, cacheWrite, cost } = rest;
  const dollars = cost ?? 0;
  if (input + output + cacheRead + cacheWrite === 0) return scaleCostParts(parts, sumDollars(parts) + dollars);
  const usage = { input, output, cacheRead, cacheWrite, cost: { total: Math.max(0, dollars) } };
  const added = addCostParts(parts, splitCost({ source: 'side calls', model, usage }, 0, priceList));
  return dollars < 0 ? scaleCostParts(added, sumDollars(added) + dollars) : added;
}

/** Makes a cost at listed prices a recorded one. */
function toRecordedCost(listed: number): UsageSums {
  return listed === 0 ? NO_USAGE : { ...NO_USAGE, cost: listed, costListed: -listed };
}

const UNNAMED = '?/?';
/** Less is a matter of rounding. */
const LEAST_DOLLARS = 1e-6;

/** The usage beyond the counted calls; null if the client counted fewer tokens than they have. */
function measureRest(usage: JsonObject, counted: UsageSums): UsageSums | null {
  const total = readUsageNumbers(usage);
  const rest = {
    input: total.input - counted.input,
    output: total.output - counted.output,
    cacheRead: total.cacheRead - counted.cacheRead,
    cacheWrite: total.cacheWrite - counted.cacheWrite,
  };
  if (Object.values(rest).some((tokens) => tokens < 0)) return null;
  // The number of its calls is unknown.
  return { ...NO_USAGE, ...rest, cost: (total.cost ?? 0) - sumKnownCost(counted) };
}

function sumModel(model: string, all: readonly UsageCounts[]): UsageSums {
  const models = all.flatMap(({ byModel }) => [...byModel]);
  return sumUsage(models.filter(([key]) => readModelId(key) === model).map(([, sums]) => sums));
}

function addRest<Key>(sums: ReadonlyMap<Key, UsageSums>, key: Key, rest: UsageSums): ReadonlyMap<Key, UsageSums> {
  const isNothing = rest.cost === null || (Math.abs(rest.cost) < LEAST_DOLLARS && rest.input + rest.output === 0);
  return isNothing ? sums : new Map([...sums, [key, addUsageSums(sums.get(key) ?? NO_USAGE, rest)]]);
}

/** A sum of listed prices that were all replaced. */
function dropDust(sums: UsageSums): UsageSums {
  return Math.abs(sums.costListed) < LEAST_DOLLARS / 1000 ? { ...sums, costListed: 0 } : sums;
}

function readModelId(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

/** The provider of the session's own calls. */
function findProvider({ byModel }: UsageCounts): string {
  const [first = 'anthropic/'] = byModel.keys();
  return first.slice(0, first.indexOf('/'));
}
