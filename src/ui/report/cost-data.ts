import type { StatsDocument, UsageDocument } from '#analysis/stats/document.js';
import type { CostData, UsageData } from './data.js';

/** What providers recorded, of all branches; `entryAt`: the number of the entry on a line. */
export function costData(stats: StatsDocument, entryAt: (line: number) => number): CostData {
  return {
    usage: usageOf(stats.usageRecorded),
    bySource: stats.usageRecordedBySource.map(({ source, ...usage }) => ({ source, ...usageOf(usage) })),
    byModel: stats.usageRecordedByModel.map(({ model, ...usage }) => ({ model, ...usageOf(usage) })),
    byDay: stats.usageRecordedByDay.map(({ day, ...usage }) => ({ day, ...usageOf(usage) })),
    tools: stats.tools.map(({ name, calls, errors, results, resultTokensEstimated: { sum, max } }) => {
      return { name, calls, errors, results, tokens: sum, most: max };
    }),
    repeats: stats.repeats.calls.map(({ tool, arguments: given, repeats, tokensEstimated, line }) => {
      return { tool, arguments: given, repeats, tokens: tokensEstimated, entry: entryAt(line) };
    }),
  };
}

function usageOf({ calls, input, output, cacheRead, cacheWrite, total, cost }: UsageDocument): UsageData {
  return { calls, input, output, cacheRead, cacheWrite, total, cost };
}
