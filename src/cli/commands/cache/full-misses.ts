import { rebilledBy } from '#analysis/cache/breaks.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { dollars, lengthOf, plural } from '#base/words.js';
import { type Block, line, span } from '#ui/doc/doc.js';

/** Whether nothing of a request was read from the cache and no recorded change explains it. */
function isFullMiss({ break: broken, recorded }: CacheRequest): boolean {
  return broken?.class === 'unexplained' && broken.divergence === null && recorded?.cacheRead === 0;
}

/** Breaks to list one by one, and all full misses if one sentence sums them up. */
export function splitBreaks(requests: readonly CacheRequest[]): {
  readonly listed: readonly CacheRequest[];
  readonly fullMisses: readonly CacheRequest[];
} {
  const broken = requests.filter((request) => request.break !== null);
  const fullMisses = broken.filter(isFullMiss);
  if (fullMisses.length < 2) return { listed: broken, fullMisses: [] };
  const dearest = new Set(fullMisses.toSorted((a, b) => priceOf(b) - priceOf(a)).slice(0, MOST_MISSES));
  return { listed: broken.filter((request) => !isFullMiss(request) || dearest.has(request)), fullMisses };
}

const MOST_MISSES = 5;

/** The cost of a break; re-billed tokens, far below a dollar each, where no cost is recorded. */
function priceOf({ break: broken }: CacheRequest): number {
  return broken === null ? 0 : (broken.rebilledCost ?? 0) + rebilledBy(broken) * 1e-12;
}

/** The count, the likely reason and the price of full misses. */
export function fullMissesLine(misses: readonly CacheRequest[], isPromptRecorded: boolean): Block {
  const costs = misses.map(({ break: broken }) => broken?.rebilledCost ?? null);
  const cost = costs.includes(null)
    ? ''
    : ` cost ${dollars(costs.reduce<number>((sum, each) => sum + (each ?? 0), 0))} and`;
  const listed = misses.length > MOST_MISSES ? `; the ${MOST_MISSES} most expensive are listed` : '';
  const why = isPromptRecorded ? '' : ' The prompt or the tools may have changed: the session does not record them.';
  return line(
    span(plural(misses.length, 'full miss', 'full misses'), 'warning'),
    `${cost} have no recorded cause${listed}.${why} ${pausesText(misses)}--each lists all requests.`,
  );
}

function pausesText(misses: readonly CacheRequest[]): string {
  const pauses = misses.flatMap(({ idleMilliseconds }) => idleMilliseconds ?? []).toSorted((a, b) => a - b);
  const [least, most] = [pauses.at(0), pauses.at(-1)];
  if (least === undefined || most === undefined) return '';
  const [shortest, longest] = [lengthOf(least / 1000), lengthOf(most / 1000)];
  return shortest === longest ? `Pauses of ${shortest}; ` : `Pauses of ${shortest} to ${longest}; `;
}
