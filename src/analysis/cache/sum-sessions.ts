import { sumBy } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import { compareTexts } from '#base/text.js';
import { isUnexplained } from './break-classes.js';
import { sumBreakCosts } from './rebilled.js';
import type { RequestMiss, SessionMisses } from './session-misses.js';
import type { CacheSessions, MissSums } from './sessions-document.js';

/** Sums up the cache breaks of many sessions: by cause, client, day and project. */
export function sumSessions(all: readonly SessionMisses[], unreadable: CacheSessions['unreadable']): CacheSessions {
  const withRequests = all.filter(({ requests }) => requests.length > 0);
  const requests = withRequests.flatMap((session) => session.requests.map((request) => ({ session, request })));
  const broken = requests.filter(({ request }) => request.break !== null);
  return {
    schema: 'ctx/cache-sessions',
    schemaVersion: 1,
    sessions: withRequests.length,
    unreadable,
    ...sum(requests),
    byClass: group(broken, ({ request }) => request.break?.class ?? 'unexplained')
      .map(([name, some]) => ({ class: name, sessions: new Set(some.map((one) => one.session)).size, ...sum(some) }))
      .toSorted(compareMisses),
    byClient: group(requests, ({ session, request }) => nameClient(session.agent, request.version))
      .map(([client, some]) => ({ client, ...sum(some) }))
      .toSorted((a, b) => compareVersions(a.client, b.client)),
    byDay: group(requests, ({ request }) => request.time?.slice(0, 'YYYY-MM-DD'.length) ?? null)
      .map(([day, some]) => ({ day, ...sum(some) }))
      .toSorted((a, b) => compareTexts(a.day ?? '', b.day ?? '')),
    byProject: group(requests, ({ session }) => session.project)
      .map(([project, some]) => ({ project, ...sum(some) }))
      .toSorted(compareMisses),
  };
}

/** A request, and the session that it is in. */
interface PlacedRequest {
  readonly session: SessionMisses;
  readonly request: RequestMiss;
}

function group<Key>(
  requests: readonly PlacedRequest[],
  keyOf: (request: PlacedRequest) => Key,
): readonly (readonly [Key, readonly PlacedRequest[]])[] {
  const groups = new Map<Key, PlacedRequest[]>();
  for (const request of requests) addTo(groups, keyOf(request), request);
  return [...groups];
}

function sum(requests: readonly PlacedRequest[]): MissSums {
  return sumMisses(requests.map(({ request }) => request));
}

function nameClient(agent: string, version: string | null): string {
  return version === null ? agent : `${agent} ${version}`;
}

/** Sums up requests. Costs are those of the breaks whose tokens are recorded. */
export function sumMisses(requests: readonly RequestMiss[]): MissSums {
  const recorded = requests.flatMap((request) => request.recorded ?? []);
  const breaks = requests.flatMap((request) => request.break ?? []);
  const recordedBreaks = breaks.filter(({ rebilledTokens }) => rebilledTokens !== null);
  return {
    requests: requests.length,
    promptTokens: sumBy(recorded, ({ promptTokens }) => promptTokens),
    cacheRead: sumBy(recorded, ({ cacheRead }) => cacheRead),
    breaks: breaks.length,
    unexplained: breaks.filter(isUnexplained).length,
    floors: breaks.filter(({ isFloor }) => isFloor).length,
    rebilledTokens: sumBy(breaks, ({ rebilledTokens }) => rebilledTokens ?? 0),
    rebilledTokensEstimated: sumBy(breaks, ({ rebilledTokensEstimated }) => rebilledTokensEstimated ?? 0),
    ...sumBreakCosts(recordedBreaks),
  };
}

/** The most expensive first; where costs are equal or unknown, those with more tokens. */
function compareMisses(a: MissSums, b: MissSums): number {
  const byCost = (b.rebilledCostListed ?? 0) - (a.rebilledCostListed ?? 0);
  return byCost || b.rebilledTokens - a.rebilledTokens || b.breaks - a.breaks;
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
