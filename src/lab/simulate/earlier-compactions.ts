import { type Cheaper, concludeCheaper, findMainPart } from '#analysis/stats/cheaper.js';
import { addCostParts, NO_COST_PARTS } from '#analysis/stats/cost-parts.js';
import { countUsage } from '#analysis/stats/count-usage.js';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import type { PriceList } from '#context/models/prices.js';
import { readFirstSampling, readUsageNumbers } from '#context/size/recorded-usage.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import piEngine from '../builtin/pi.js';
import type { SimulationEngine, SimulationResult } from './simulate.js';

/** Sizes of the context at which a session might have been compacted. */
const SIZES = [20_000, 40_000, 60_000, 80_000, 100_000, 150_000, 200_000, 400_000];
/** Each is simulated, which takes time. */
const MOST_SIZES = 4;
/** A compaction at nearly the largest prompt changes little. */
const LARGEST_SHARE = 0.8;
/** Below this multiple of prompt and tools, nearly every request would compact. */
const LEAST_GROWTH = 1.5;

interface Prompts {
  readonly first: number;
  readonly largest: number;
}

/** The recorded prompts of the active path, in tokens. */
function measurePrompts(session: Session): Prompts {
  let first = 0;
  let largest = 0;
  for (const head of activePath(session.tree)) {
    const usage = answersRequest(head) ? session.usage(head) : null;
    if (!usage) continue;
    const { input, cacheRead, cacheWrite } = readUsageNumbers(readFirstSampling(usage));
    first ||= input + cacheRead + cacheWrite;
    largest = Math.max(largest, input + cacheRead + cacheWrite);
  }
  return { first, largest };
}

/** Engines that compact as Pi does, each at a smaller size than the recorded session reached. */
export function listEarlierCompactions(session: Session, settings: CompactionSettings): readonly SimulationEngine[] {
  const { first, largest } = measurePrompts(session);
  return SIZES.filter((size) => size <= largest * LARGEST_SHARE && size >= first * LEAST_GROWTH)
    .slice(-MOST_SIZES)
    .map((size) => ({
      name: nameEngine(size),
      make: piEngine.create,
      drive: {
        tokenBudget: size + settings.reserveTokens,
        settings: { ...settings, keepRecentTokens: Math.min(settings.keepRecentTokens, size / 4) },
      },
    }));
}

function nameEngine(size: number): string {
  return `compact at ${size}`;
}

/** The conclusion from a simulation with earlier compactions, and the simulation without them. */
export function extractCheaper(
  session: Session,
  simulated: SimulationResult,
  priceList: PriceList,
): { readonly simulated: SimulationResult; readonly cheaper: Cheaper } {
  const names = new Set(SIZES.map(nameEngine));
  const engines = simulated.engines.filter(({ name }) => !names.has(name));
  const recorded = simulated.engines[0]?.totalCost ?? null;
  const compactions = SIZES.flatMap((size) => {
    const engine = simulated.engines.find(({ name }) => name === nameEngine(size));
    if (!engine || engine.totalCost === null || !recorded || engine.failure) return [];
    const saves = recorded - engine.totalCost;
    const { count } = engine.compactions;
    return [{ at: size, compactions: count, saves, savesShare: saves / recorded, repeatedCalls: engine.reread.calls }];
  });
  const usage = countUsage(session, new SharedEntries(), priceList);
  const parts = [...usage.partsByModel.values()].reduce(addCostParts, NO_COST_PARTS);
  const found = {
    mainPart: findMainPart(parts, usage.usage.calls),
    compactions,
    largestPrompt: measurePrompts(session).largest,
  };
  return { simulated: { ...simulated, engines }, cheaper: concludeCheaper(found, findReason(simulated, compactions)) };
}

/** Half of the requests are off by more than this share of their prompt. */
const BAD_ERROR = 0.05;

function findReason({ engines, validation }: SimulationResult, compactions: Cheaper['compactions']): Cheaper['reason'] {
  if (!engines[0]?.totalCost) return 'unpriced';
  if (validation.reportsCache && (validation.medianError ?? 0) > BAD_ERROR) return 'model unfit';
  return compactions.length === 0 ? 'small' : null;
}
