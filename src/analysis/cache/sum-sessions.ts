import { sumBy } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import { compareTexts } from '#base/text.js';
import { isUnexplained } from './break-classes.js';
import { sumBreakCosts } from './report-cache.js';
import type { RequestMiss, SessionMisses } from './session-misses.js';
import type { CacheSessions, MissSums } from './sessions-document.js';

/** Sums up the cache breaks of many sessions: by cause, client, day and project. */
export function sumSessions(all: readonly SessionMisses[], unreadable: CacheSessions['unreadable']): CacheSessions {
  const asked = all.filter(({ requests }) => requests.length > 0);
  const placed = asked.flatMap((session) => session.requests.map((request) => ({ session, request })));
  const broken = placed.filter(({ request }) => request.break !== null);
  const group = <Key>(from: typeof placed, keyOf: (one: (typeof placed)[number]) => Key): [Key, typeof placed][] => {
    const groups = new Map<Key, typeof placed>();
    for (const one of from) addTo(groups, keyOf(one), one);
    return [...groups];
  };
  const sum = (some: typeof placed): MissSums => sumMisses(some.map(({ request }) => request));
  return {
    schema: 'ctx/cache-sessions',
    schemaVersion: 1,
    sessions: asked.length,
    unreadable,
    ...sum(placed),
    byClass: group(broken, ({ request }) => request.break?.class ?? 'unexplained')
      .map(([name, some]) => ({ class: name, sessions: new Set(some.map((one) => one.session)).size, ...sum(some) }))
      .toSorted(compareMisses),
    byClient: group(placed, ({ session, request }) => nameClient(session.agent, request.version))
      .map(([client, some]) => ({ client, ...sum(some) }))
      .toSorted((a, b) => compareVersions(a.client, b.client)),
    byDay: group(placed, ({ request }) => request.time?.slice(0, 'YYYY-MM-DD'.length) ?? null)
      .map(([day, some]) => ({ day, ...sum(some) }))
      .toSorted((a, b) => compareTexts(a.day ?? '', b.day ?? '')),
    byProject: group(placed, ({ session }) => session.project)
      .map(([project, some]) => ({ project, ...sum(some) }))
      .toSorted(compareMisses),
  };
}

function nameClient(agent: string, version: string | null): string {
  return version === null ? agent : `${agent} ${version}`;
}

export function sumMisses(requests: readonly RequestMiss[]): MissSums {
  const recorded = requests.flatMap((request) => request.recorded ?? []);
  const breaks = requests.flatMap((request) => request.break ?? []);
  const counted = breaks.filter(({ rebilledTokens }) => rebilledTokens !== null);
  return {
    requests: requests.length,
    promptTokens: sumBy(recorded, ({ promptTokens }) => promptTokens),
    cacheRead: sumBy(recorded, ({ cacheRead }) => cacheRead),
    breaks: breaks.length,
    unexplained: breaks.filter(isUnexplained).length,
    floors: breaks.filter(({ isFloor }) => isFloor).length,
    rebilledTokens: sumBy(breaks, ({ rebilledTokens }) => rebilledTokens ?? 0),
    rebilledTokensEstimated: sumBy(breaks, ({ rebilledTokensEstimated }) => rebilledTokensEstimated ?? 0),
    ...sumBreakCosts(counted),
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
