import { sumBy } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import type { Grouping, StatsGroup } from './document.js';
import type { SessionStats, SessionUsage } from './session-stats.js';
import { sumCounts, sumUsage } from './sum-counts.js';
import { sumBreakdown } from './token-breakdown.js';
import { sumKnownCost, toUsageDocument, type UsageCounts, type UsageSums } from './usage-sums.js';

/** Days and sessions in their order, others by cost, tokens and name. Rows add up to the totals. */
export function groupStats(all: readonly SessionStats[], by: Grouping): StatsGroup[] {
  return by === 'tool' ? groupByTool(all) : groupUsage(all, by, sumRowCounts);
}

/** The values of a row beside its usage; `sumRowCounts` computes them for the sessions of a row. */
type RowCounts = Pick<StatsGroup, 'toolCalls' | 'toolErrors' | 'tokensEstimated'>;

const NO_COUNTS: RowCounts = { toolCalls: null, toolErrors: null, tokensEstimated: null };

/** Like `groupStats`, of the recorded usage alone. */
export function groupUsage<Of extends GroupedUsage>(
  all: readonly Of[],
  by: Exclude<Grouping, 'tool'>,
  countsIn: (sessions: readonly Of[]) => RowCounts = () => NO_COUNTS,
): StatsGroup[] {
  switch (by) {
    case 'day':
      return groupByMap(all, ({ byDay }) => byDay).toSorted((a, b) => compareTexts(a.key, b.key));
    case 'week':
      return groupByMap(all, ({ byDay }) => sumByWeek(byDay)).toSorted((a, b) => compareTexts(a.key, b.key));
    case 'model':
      return groupByMap(all, ({ byModel }) => byModel).toSorted(compareCosts);
    case 'project':
      return groupSessions(all, ({ cwd }) => cwd ?? '', countsIn).toSorted(compareCosts);
    case 'session':
      return groupSessions(all, ({ file }) => file, countsIn);
  }
}

/** The sums of weeks, under the day of their Monday. */
function sumByWeek(byDay: ReadonlyMap<string, UsageSums>): ReadonlyMap<string, UsageSums> {
  const days = groupByKey([...byDay].map(([day, sums]) => [findMonday(day), sums] as const));
  return new Map([...days].map(([monday, sums]) => [monday, sumUsage(sums)]));
}

/** The Monday of the week of a day; what is no day stays as it is. */
function findMonday(day: string): string {
  const at = Date.parse(day);
  if (Number.isNaN(at)) return day;
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at - sinceMonday * 86_400_000).toISOString().slice(0, 10);
}

type GroupedUsage = UsageCounts & Pick<SessionUsage, 'file' | 'cwd'>;

function groupByMap<Of extends GroupedUsage>(
  all: readonly Of[],
  mapOf: (stats: Of) => ReadonlyMap<string, UsageSums>,
): StatsGroup[] {
  const sums = groupByKey(all.flatMap((stats) => [...mapOf(stats)]));
  return [...sums].map(([key, some]) => {
    return { key, sessions: some.length, ...NO_COUNTS, usageRecorded: toUsageDocument(sumUsage(some)) };
  });
}

function groupByTool(all: readonly SessionStats[]): StatsGroup[] {
  const { tools } = sumCounts(all);
  return tools
    .map(({ name, calls, errors, resultTokens, usage }) => ({
      key: name,
      sessions: all.filter((stats) => stats.tools.some((tool) => tool.name === name)).length,
      toolCalls: calls,
      toolErrors: errors,
      usageRecorded: toUsageDocument(usage),
      tokensEstimated: sumBy(resultTokens, (tokens) => tokens),
    }))
    .toSorted((a, b) => b.tokensEstimated - a.tokensEstimated || compareTexts(a.key, b.key));
}

function groupSessions<Of extends GroupedUsage>(
  all: readonly Of[],
  keyOf: (stats: Of) => string,
  countsIn: (sessions: readonly Of[]) => RowCounts,
): StatsGroup[] {
  return [...groupByKey(all.map((stats) => [keyOf(stats), stats]))].map(([key, stats]) => {
    const usage = sumUsage(stats.map((one) => one.usage));
    return { key, sessions: stats.length, ...countsIn(stats), usageRecorded: toUsageDocument(usage) };
  });
}

function sumRowCounts(sessions: readonly SessionStats[]): RowCounts {
  const { messages, tools, ledger } = sumCounts(sessions);
  return {
    toolCalls: messages.toolCalls,
    toolErrors: sumBy(tools, ({ errors }) => errors),
    tokensEstimated: sumBreakdown(ledger),
  };
}

function groupByKey<Item>(items: Iterable<readonly [key: string, item: Item]>): ReadonlyMap<string, readonly Item[]> {
  const keys = new Map<string, Item[]>();
  for (const [key, item] of items) {
    addTo(keys, key, item);
  }
  return keys;
}

function compareCosts({ key, usageRecorded: a }: StatsGroup, { key: other, usageRecorded: b }: StatsGroup): number {
  return sumKnownCost(b) - sumKnownCost(a) || b.input - a.input || compareTexts(key, other);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
