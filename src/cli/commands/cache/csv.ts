import type { CacheRequest } from '#analysis/cache/document.js';
import type { CsvColumns } from '#ui/doc/csv.js';

/** A row for every request, under the names of the JSON. */
export const CACHE_COLUMNS: CsvColumns<CacheRequest> = {
  request: ({ request }) => request,
  entryId: ({ entryId }) => entryId,
  line: ({ line }) => line,
  time: ({ time }) => time,
  model: ({ model }) => model,
  promptTokensEstimated: ({ promptTokensEstimated }) => promptTokensEstimated,
  prefixTokensEstimated: ({ prefixTokensEstimated }) => prefixTokensEstimated,
  expectedCacheReadEstimated: ({ expectedCacheReadEstimated }) => expectedCacheReadEstimated,
  promptTokens: ({ recorded }) => recorded?.promptTokens,
  input: ({ recorded }) => recorded?.input,
  cacheRead: ({ recorded }) => recorded?.cacheRead,
  cacheWrite: ({ recorded }) => recorded?.cacheWrite,
  piMissTokens: ({ piMiss }) => piMiss?.tokens,
  piMissCost: ({ piMiss }) => piMiss?.cost,
  naiveMiss: ({ naiveMiss }) => naiveMiss,
  idleMilliseconds: ({ idleMilliseconds }) => idleMilliseconds,
  break: (request) => request.break?.class,
  causeEntryId: (request) => request.break?.entryId,
  undeclared: (request) => request.break?.undeclared,
  rebilledTokens: (request) => request.break?.rebilledTokens,
  rebilledTokensEstimated: (request) => request.break?.rebilledTokensEstimated,
  rebilledCost: (request) => request.break?.rebilledCost,
};
