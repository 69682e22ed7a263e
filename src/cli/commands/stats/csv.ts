import type { StatsGroup } from '#analysis/stats/groups.js';
import { tokensUsed } from '#analysis/stats/usage-sums.js';
import type { CsvColumns } from '#ui/doc/csv.js';

/** The columns of the groups of `--by`, under the names that the JSON has. */
export function statsCsvColumns(by: string, isCostRecorded: boolean): CsvColumns<StatsGroup> {
  return {
    [by]: ({ key }) => key,
    sessions: ({ sessions }) => sessions,
    callsRecorded: ({ usage }) => usage.calls,
    inputRecorded: ({ usage }) => usage.input,
    outputRecorded: ({ usage }) => usage.output,
    cacheReadRecorded: ({ usage }) => usage.cacheRead,
    cacheWriteRecorded: ({ usage }) => usage.cacheWrite,
    totalRecorded: ({ usage }) => tokensUsed(usage),
    costRecorded: ({ usage }) => (isCostRecorded ? usage.cost : null),
    toolCalls: ({ toolCalls }) => toolCalls,
    toolErrors: ({ toolErrors }) => toolErrors,
    tokensEstimated: ({ tokens }) => tokens,
    costListed: ({ usage }) => (usage.costListed > 0 ? usage.costListed : null),
  };
}
