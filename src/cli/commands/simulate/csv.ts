import type { Simulation } from '#engines/simulate/document.js';
import { csvRow } from '#ui/doc/csv.js';

const COLUMNS = [
  'file',
  'sessionId',
  'engine',
  'request',
  'entryId',
  'time',
  'model',
  'tokens',
  'cachedTokens',
  'rebilledTokens',
  'cost',
  'overBudget',
  'compactions',
  'prunes',
  'rereads',
  'promptTokensRecorded',
  'cacheReadRecorded',
  'listedPrices',
];

export function simulationCsvHead(): string {
  return csvRow(COLUMNS);
}

/** A row for every request of a session under every engine, under the names that the JSON has. */
export function simulationCsv({ session, requests, engines, listedPrices }: Simulation): string {
  return engines
    .flatMap(({ name, series, overflowed, shrinks, rereads }) => {
      const over = new Set(overflowed);
      const compactions = counted(shrinks.filter(({ kind }) => kind === 'compaction'));
      const prunes = counted(shrinks.filter(({ kind }) => kind === 'prune'));
      const again = counted(rereads);
      return series.tokens.map((tokens, at) => {
        const request = requests[at];
        const number = request?.number ?? 0;
        return csvRow([
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

function counted(all: readonly { readonly request: number | null }[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { request } of all) if (request !== null) counts.set(request, (counts.get(request) ?? 0) + 1);
  return counts;
}
