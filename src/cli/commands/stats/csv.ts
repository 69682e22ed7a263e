import type { StatsGroup } from '#analysis/stats/groups.js';
import { tokensUsed } from '#analysis/stats/usage-sums.js';
import { csvRow } from '#ui/doc/csv.js';

/** A row for every group, under the names that the JSON has. */
export async function* statsCsv(
  { by, rows }: { readonly by: string; readonly rows: readonly StatsGroup[] },
  isCostRecorded: boolean,
): AsyncGenerator<string> {
  yield csvRow([by, ...COLUMNS]);
  for (const { key, sessions, usage, toolCalls, toolErrors, tokens } of rows) {
    const { calls, input, output, cacheRead, cacheWrite, cost } = usage;
    const recorded = [calls, input, output, cacheRead, cacheWrite, tokensUsed(usage), isCostRecorded ? cost : null];
    const costListed = usage.costListed > 0 ? usage.costListed : null;
    yield csvRow([key, sessions, ...recorded, toolCalls, toolErrors, tokens, costListed]);
  }
}

const COLUMNS = [
  'sessions',
  'callsRecorded',
  'inputRecorded',
  'outputRecorded',
  'cacheReadRecorded',
  'cacheWriteRecorded',
  'totalRecorded',
  'costRecorded',
  'toolCalls',
  'toolErrors',
  'tokensEstimated',
  'costListed',
];
