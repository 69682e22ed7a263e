import { lineOf } from '#analysis/cache/lines.js';
import type { CacheRequest } from '#analysis/cache/request.js';
import { csvRow } from '#ui/doc/csv.js';

const COLUMNS = [
  'request',
  'entryId',
  'line',
  'time',
  'model',
  'promptTokensEstimated',
  'prefixTokensEstimated',
  'expectedCacheReadEstimated',
  'promptTokens',
  'input',
  'cacheRead',
  'cacheWrite',
  'piMissTokens',
  'piMissCost',
  'naiveMiss',
  'idleMilliseconds',
  'break',
  'causeEntryId',
  'undeclared',
  'rebilledTokens',
  'rebilledTokensEstimated',
  'rebilledCost',
];

/** A row for every request, under the names that the JSON has. */
export async function* cacheCsv(requests: readonly CacheRequest[]): AsyncGenerator<string> {
  yield csvRow(COLUMNS);
  for (let start = 0; start < requests.length; start += ROWS_AT_ONCE)
    yield requests
      .slice(start, start + ROWS_AT_ONCE)
      .map((request) => csvRow(cellsOf(request)))
      .join('');
}

const ROWS_AT_ONCE = 256;

type Value = string | number | boolean | null | undefined;

function cellsOf(request: CacheRequest): readonly Value[] {
  const { recorded, break: broken, piMiss, ...line } = lineOf(request);
  return [
    line.request,
    line.entryId,
    line.line,
    line.time,
    line.model,
    line.promptTokensEstimated,
    line.prefixTokensEstimated,
    line.expectedCacheReadEstimated,
    recorded?.promptTokens,
    recorded?.input,
    recorded?.cacheRead,
    recorded?.cacheWrite,
    piMiss?.tokens,
    piMiss?.cost,
    line.naiveMiss,
    line.idleMilliseconds,
    broken?.class,
    broken?.entryId,
    broken?.undeclared,
    broken?.rebilledTokens,
    broken?.rebilledTokensEstimated,
    broken?.rebilledCost,
  ];
}
