import type { lineOf } from '#analysis/cache/lines.js';
import type { CsvColumns } from '#ui/doc/csv.js';

/** The columns of a request, under the names that the JSON has. */
export const CACHE_CSV = {
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
  break: ({ break: broken }) => broken?.class,
  causeEntryId: ({ break: broken }) => broken?.entryId,
  undeclared: ({ break: broken }) => broken?.undeclared,
  rebilledTokens: ({ break: broken }) => broken?.rebilledTokens,
  rebilledTokensEstimated: ({ break: broken }) => broken?.rebilledTokensEstimated,
  rebilledCost: ({ break: broken }) => broken?.rebilledCost,
} satisfies CsvColumns<ReturnType<typeof lineOf>>;
