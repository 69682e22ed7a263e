import { whatHappened } from '#analysis/cache/cache-words.js';
import type { CacheReport } from '#analysis/cache/report.js';
import { isUndeclared } from '#analysis/cache/report.js';
import type { CacheRequest } from '#analysis/cache/request.js';
import type { CacheBreakData, CacheData } from './data.js';

/** `entryAt`: the number of the entry on a line. */
export function cacheData({ requests, totals }: CacheReport, entryAt: (line: number) => number): CacheData {
  return {
    prompts: requests.map(({ prompt }) => prompt),
    prefixes: requests.map(({ prefix }) => prefix),
    recorded: requests.map(({ usage }) => usage && [usage.input, usage.cacheRead, usage.cacheWrite]),
    breaks: requests.flatMap((request, at) => {
      const broken = breakData(request, entryAt);
      return broken ? [[at, broken] as const] : [];
    }),
    totals: {
      recorded: totals.recorded,
      prompt: totals.prompt,
      read: totals.cacheRead,
      written: totals.cacheWrite,
      rebilled: totals.rebilled.tokens,
      rebilledEstimated: totals.rebilled.estimated,
      rebilledCost: totals.rebilled.cost,
    },
  };
}

function breakData(request: CacheRequest, entryAt: (line: number) => number): CacheBreakData | null {
  const { broken } = request;
  return (
    broken && {
      class: broken.class,
      entry: broken.line === null ? -1 : entryAt(broken.line),
      what: whatHappened(request, broken),
      isUndeclared: isUndeclared(broken),
      rebilled: broken.rebilled.tokens,
      isRecorded: broken.rebilled.isRecorded,
      cost: broken.rebilled.cost,
    }
  );
}
