import type { CacheRequest } from '#analysis/cache/document.js';
import { dollars, lengthOf, plural } from '#base/words.js';
import { type Block, line, span } from '#ui/doc/doc.js';

/** Whether nothing of a request was read from the cache and no recorded change explains it. */
function isFullMiss({ break: broken, recorded }: CacheRequest): boolean {
  return broken?.class === 'unexplained' && broken.divergence === null && recorded?.cacheRead === 0;
}

/** Breaks to list one by one, and full misses that one sentence is enough for. */
export function splitBreaks(requests: readonly CacheRequest[]): {
  readonly listed: readonly CacheRequest[];
  readonly fullMisses: readonly CacheRequest[];
} {
  const broken = requests.filter((request) => request.break !== null);
  const fullMisses = broken.filter(isFullMiss);
  if (fullMisses.length < 2) return { listed: broken, fullMisses: [] };
  return { listed: broken.filter((request) => !isFullMiss(request)), fullMisses };
}

/** The count, the likely reason and the price of full misses. */
export function fullMissesLine(misses: readonly CacheRequest[], isPromptRecorded: boolean): Block {
  const costs = misses.map(({ break: broken }) => broken?.rebilledCost ?? null);
  const cost = costs.includes(null) ? '' : `, ${dollars(costs.reduce<number>((sum, each) => sum + (each ?? 0), 0))}`;
  const why = isPromptRecorded
    ? 'no recorded change explains them'
    : 'prompt or tools changed? The session does not record them';
  return line(
    span(plural(misses.length, 'full miss', 'full misses'), 'warning'),
    `${cost}: ${why}. ${pausesText(misses)}--each lists all requests.`,
  );
}

function pausesText(misses: readonly CacheRequest[]): string {
  const pauses = misses.flatMap(({ idleMilliseconds }) => idleMilliseconds ?? []).toSorted((a, b) => a - b);
  const [least, most] = [pauses.at(0), pauses.at(-1)];
  if (least === undefined || most === undefined) return '';
  const [shortest, longest] = [lengthOf(least / 1000), lengthOf(most / 1000)];
  return shortest === longest ? `Pauses of ${shortest}; ` : `Pauses of ${shortest} to ${longest}; `;
}
