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
    ...sumRequests(requests),
    byClass: groupRequests(broken, ({ request }) => request.break?.class ?? 'unexplained')
      .map(([name, some]) => ({
        class: name,
        sessions: new Set(some.map((one) => one.session)).size,
        ...sumRequests(some),
      }))
      .toSorted(compareMisses),
    byClient: groupRequests(requests, ({ session, request }) => nameClient(session.agent, request.version))
      .map(([client, some]) => ({ client, ...sumRequests(some) }))
      .toSorted((a, b) => compareClients(a.client, b.client)),
    byDay: groupRequests(requests, ({ request }) => request.time?.slice(0, 'YYYY-MM-DD'.length) ?? null)
      .map(([day, some]) => ({ day, ...sumRequests(some) }))
      .toSorted((a, b) => compareTexts(a.day ?? '', b.day ?? '')),
    byProject: groupRequests(requests, ({ session }) => session.project)
      .map(([project, some]) => ({ project, ...sumRequests(some) }))
      .toSorted(compareMisses),
  };
}

/** A request, and the session that it is in. */
interface PlacedRequest {
  readonly session: SessionMisses;
  readonly request: RequestMiss;
}

/** Groups requests by a key, in the order of their first one. */
function groupRequests<Key>(
  requests: readonly PlacedRequest[],
  keyOf: (request: PlacedRequest) => Key,
): readonly (readonly [Key, readonly PlacedRequest[]])[] {
  const groups = new Map<Key, PlacedRequest[]>();
  for (const request of requests) addTo(groups, keyOf(request), request);
  return [...groups];
}

function sumRequests(requests: readonly PlacedRequest[]): MissSums {
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

/** Compares versions number by number: 2.1.9 comes before 2.1.10. */
function compareClients(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
