import { incrementCount } from '#base/maps.js';
import type { Simulation } from '#lab/simulate/document.js';
import { formatCsvRow } from '#ui/doc/csv.js';

const COLUMNS =
  'file sessionId engine request entryId time model tokens cachedTokens rebilledTokens inputCost overBudget compactions ' +
  'prunes rereads promptTokensRecorded cacheReadRecorded listedPrices';

export function writeSimulationCsvHead(): string {
  return formatCsvRow(COLUMNS.split(' '));
}

/**
 * A row for every request of a session under every engine, under the names that the JSON has; `inputCost` is its
 * `costs`, without answers and summaries.
 */
export function writeSimulationCsv({ session, requests, engines, listedPrices }: Simulation): string {
  return engines
    .flatMap(({ name, series, overflowed, shrinks, rereads }) => {
      const over = new Set(overflowed);
      const compactions = countByRequest(shrinks.filter(({ kind }) => kind === 'compaction'));
      const prunes = countByRequest(shrinks.filter(({ kind }) => kind === 'prune'));
      const again = countByRequest(rereads);
      return series.tokens.map((tokens, at) => {
        const request = requests[at];
        const number = request?.number ?? 0;
        return formatCsvRow([
          session.file,
          session.id,
          name,
          number,
          request?.entryId,
          request?.time,
          request?.model,
          tokens,
          series.cachedTokens[at],
          series.rebilledTokens[at],
          series.costs[at],
          over.has(number),
          compactions.get(number) ?? 0,
          prunes.get(number) ?? 0,
          again.get(number) ?? 0,
          request?.promptTokensRecorded,
          request?.cacheReadRecorded,
          request !== undefined && listedPrices.includes(request.model),
        ]);
      });
    })
    .join('');
}

function countByRequest(all: readonly { readonly request: number | null }[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { request } of all) {
    if (request !== null) incrementCount(counts, request);
  }
  return counts;
}
