import type { Problem } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import type { PriceList } from '#context/models/prices.js';
import { findVolatileMatches, type VolatileMatch } from '#context/request/volatile.js';
import type { PathSource } from '#context/walk.js';
import { isPromptRecorded } from './break-cause.js';
import { BREAK_CLASSES, BREAK_CLASSES_BY_REASON } from './break-classes.js';
import { CacheWalk } from './cache-walk.js';
import { addCosts } from './costs.js';
import type {
  CacheBreak,
  CacheRequest,
  CacheSummary,
  ProviderAgreement,
  ProviderDrops,
  ProviderEdits,
  RebilledCost,
  VolatileText,
} from './document.js';
import { type CacheOptions, DEFAULT_CACHE_OPTIONS } from './options.js';
import type { Preamble } from './prompt.js';
import { sumBreakCosts } from './rebilled.js';

/** The cache use of the requests of a path: the lines of `ctx cache --json`. */
export interface CacheReport {
  readonly requests: readonly CacheRequest[];
  readonly summary: CacheSummary;
  readonly diagnostics: readonly Problem[];
  /** The session, or a baseline, has the prompt and the tools, as far as is known. */
  readonly isPromptRecorded: boolean;
}

/**
 * Compares each request of a path with the one before, as `ctx cache --json` does. `block` and `minimum` are tokens,
 * `retention` minutes. `priceList`: the prices of models whose costs are not recorded.
 */
export function reportCache(
  source: PathSource,
  options: CacheOptions = DEFAULT_CACHE_OPTIONS,
  priceList?: PriceList,
): CacheReport {
  const walk = new CacheWalk(source, options);
  const requests = addCosts([...walk.requests()], walk.rated, priceList);
  const { header, file, agent } = source.session;
  const session = { id: header.id, file };
  return {
    requests,
    summary: {
      schema: 'ctx/cache-summary',
      schemaVersion: 1,
      session: agent ? { ...session, agent: agent.name } : session,
      options: {
        block: options.block,
        minimum: options.minimum,
        retentionMinutes: walk.lifetime.minutes,
        retentionBasis: walk.lifetime.basis,
      },
      ...sumTotals(requests),
      declaredForNothing: walk.idle,
      volatile: listVolatileTexts(walk.preamble),
    },
    diagnostics: walk.diagnostics,
    isPromptRecorded: isPromptRecorded(walk.preamble, source.session),
  };
}

type Totals = Omit<
  CacheSummary,
  'schema' | 'schemaVersion' | 'session' | 'options' | 'declaredForNothing' | 'volatile'
>;

function sumTotals(requests: readonly CacheRequest[]): Totals {
  const recorded = requests.flatMap((request) => request.recorded ?? []);
  const reasons = compareWithProvider(requests);
  const edits = requests.flatMap(({ providerEdits }) => providerEdits ?? []);
  const drops = requests.flatMap(({ providerDrops }) => providerDrops ?? []);
  const breaks = requests.flatMap((request) => request.break ?? []);
  const misses = requests.flatMap(({ piMiss }) => piMiss ?? []);
  const totals: Totals = {
    requests: requests.length,
    requestsRecorded: recorded.length,
    promptTokens: sumBy(recorded, ({ promptTokens }) => promptTokens),
    cacheRead: sumBy(recorded, ({ cacheRead }) => cacheRead),
    cacheWrite: sumBy(recorded, ({ cacheWrite }) => cacheWrite),
    cacheWrite5m: sumBy(recorded, ({ cacheWrite, cacheWrite1h }) => cacheWrite - (cacheWrite1h ?? cacheWrite)),
    cacheWrite1h: sumBy(recorded, (each) => each.cacheWrite1h ?? 0),
    breaks: breaks.length,
    undeclared: breaks.filter(({ undeclared }) => undeclared).length,
    ...sumRebilled(breaks),
    byClass: groupByClass(breaks),
    piMisses: { requests: misses.length, tokens: sumBy(misses, ({ tokens }) => tokens) },
    naiveMisses: requests.filter(({ naiveMiss }) => naiveMiss).length,
  };
  if (reasons) totals.providerReasons = reasons;
  if (edits.length > 0) totals.providerEdits = sumProviderEdits(edits);
  if (drops.length > 0) totals.providerDrops = sumProviderDrops(drops);
  return totals;
}

function sumProviderEdits(edits: readonly ProviderEdits[]): Totals['providerEdits'] {
  return { requests: edits.length, mostTokens: edits.reduce((most, { tokens }) => Math.max(most, tokens), 0) };
}

function sumProviderDrops(drops: readonly ProviderDrops[]): Totals['providerDrops'] {
  return {
    requests: drops.length,
    mostThinkingBlocks: drops.reduce((most, { thinkingBlocks }) => Math.max(most, thinkingBlocks), 0),
    reasons: [...new Set(drops.flatMap(({ reasons }) => reasons))],
  };
}

function groupByClass(breaks: readonly CacheBreak[]): CacheSummary['byClass'] {
  return BREAK_CLASSES.flatMap((name) => {
    const ofClass = breaks.filter((broken) => broken.class === name);
    return ofClass.length === 0 ? [] : [{ class: name, breaks: ofClass.length, ...sumRebilled(ofClass) }];
  });
}

type RebilledSums = Pick<Totals, 'rebilledTokens' | 'rebilledTokensEstimated'> & RebilledCost;

function sumRebilled(breaks: readonly CacheBreak[]): RebilledSums {
  const recorded = breaks.filter(({ rebilledTokens }) => rebilledTokens !== null);
  return {
    rebilledTokens: sumBy(breaks, ({ rebilledTokens }) => rebilledTokens ?? 0),
    rebilledTokensEstimated: sumBy(breaks, ({ rebilledTokensEstimated }) => rebilledTokensEstimated ?? 0),
    ...sumBreakCosts(recorded.length === 0 ? breaks : recorded),
  };
}

/** The first of each kind in each text: the others change together with it. */
function listVolatileTexts(preamble: Preamble): VolatileText[] {
  return (['tools', 'system'] as const).flatMap((section) =>
    preamble[section].flatMap(({ name, text }) => {
      const found = new Map<VolatileMatch['kind'], VolatileMatch>();
      for (const match of findVolatileMatches(text)) {
        if (!found.has(match.kind)) found.set(match.kind, match);
      }
      return [...found.values()].map(({ kind, start, end }) => {
        return { section, name, kind, text: text.slice(start, end), offset: start };
      });
    }),
  );
}

/**
 * The number of requests with a reason of the provider, and of those whose break has the same cause; null if there are
 * none.
 */
function compareWithProvider(requests: readonly CacheRequest[]): ProviderAgreement | null {
  const reported = requests.filter(({ providerReason: reason }) => reason !== undefined);
  if (reported.length === 0) return null;
  const compared = reported.filter(({ providerReason: reason }) => BREAK_CLASSES_BY_REASON.has(reason?.type ?? ''));
  const misses = reported.flatMap(({ request, entryId, providerReason: reason, break: broken }) =>
    reason ? [{ request, entryId, ...reason, class: broken && broken.class }] : [],
  );
  return { reported: reported.length, compared: compared.length, agreed: compared.filter(hasAgreed).length, misses };
}

/** Whether a break has a cause that its provider reports, and has it from another source. */
function hasAgreed({ providerReason: reason, break: broken }: CacheRequest): boolean {
  if (broken === null || broken.evidence === 'reported') return false;
  return [broken.class, ...broken.also].some((name) => BREAK_CLASSES_BY_REASON.get(reason?.type ?? '')?.includes(name));
}
