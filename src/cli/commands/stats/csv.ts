import type { StatsGroup } from '#analysis/stats/document.js';
import type { CsvColumns } from '#ui/doc/csv.js';

/** A row for every group, under the names of the JSON. */
export const groupColumns = (by: string): CsvColumns<StatsGroup> => ({
  [by]: ({ key }) => key,
  sessions: ({ sessions }) => sessions,
  callsRecorded: ({ usageRecorded }) => usageRecorded.calls,
  inputRecorded: ({ usageRecorded }) => usageRecorded.input,
  outputRecorded: ({ usageRecorded }) => usageRecorded.output,
  cacheReadRecorded: ({ usageRecorded }) => usageRecorded.cacheRead,
  cacheWriteRecorded: ({ usageRecorded }) => usageRecorded.cacheWrite,
  totalRecorded: ({ usageRecorded }) => usageRecorded.total,
  costRecorded: ({ usageRecorded }) => usageRecorded.cost,
  toolCalls: ({ toolCalls }) => toolCalls,
  toolErrors: ({ toolErrors }) => toolErrors,
  tokensEstimated: ({ tokensEstimated }) => tokensEstimated,
  costListed: ({ usageRecorded }) => usageRecorded.costListed,
});
