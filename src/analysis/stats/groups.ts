import { sumBy, sumNumbers } from '#base/lists.js';
import { addTo, incrementCount } from '#base/maps.js';
import { compareTexts } from '#base/text.js';
import { type CallGrouping, findMonday, needsCalls, splitKeys } from './call-groups.js';
import type { Grouping, StatsGroup, StatsGroups } from './document.js';
import type { SessionStats, SessionUsage } from './session-stats.js';
import { sumCounts } from './sum-counts.js';
import { sumBreakdown } from './token-breakdown.js';
import { sumKnownCost, sumUsage, toUsageDocument, type UsageCounts, type UsageSums } from './usage-sums.js';

/**
 * The groups of `--by`: times and sessions in their order, others by cost, tokens and name. Rows add up to the totals.
 */
export function groupStats(all: readonly SessionStats[], by: Grouping | CallGrouping): StatsGroup[] {
  const how = toCallGrouping(by);
  return how.by.length === 1 && how.by[0] === 'tool' ? groupByTool(all) : groupUsage(all, how, sumRowCounts);
}

/** The values of a row beside its usage; `sumRowCounts` computes them for the sessions of a row. */
type RowCounts = Pick<StatsGroup, 'toolCalls' | 'toolErrors' | 'tokensEstimated'>;

const NO_COUNTS: RowCounts = { toolCalls: null, toolErrors: null, tokensEstimated: null };

/** Groups like `groupStats`, but only the recorded usage. */
export function groupUsage<Of extends GroupedUsage>(
  all: readonly Of[],
  grouping: Grouping | CallGrouping,
  countsIn?: (sessions: readonly Of[]) => RowCounts,
): StatsGroup[] {
  const { by } = toCallGrouping(grouping);
  const [first] = by;
  return first === undefined || needsCalls(by) ? groupCalls(all, by) : groupSums(all, first, countsIn);
}

/** Rows with what they are grouped by, as the JSON has them. `all`: the sessions of the rows. */
export function toGroups(rows: StatsGroup[], how: Grouping | CallGrouping, all: readonly GroupedUsage[]): StatsGroups {
  const { by, timezone } = toCallGrouping(how);
  const sessionsOutside = all.filter((session) => !isInRow(session, by)).length;
  return { by: by[0] ?? 'session', groupings: [...by], timezone: timezone ?? 'UTC', sessionsOutside, rows };
}

/** Whether a session is in a row: rows of calls leave out sessions without calls. */
function isInRow({ byGroup, byDay, byModel, tools }: GroupedUsage, by: readonly Grouping[]): boolean {
  if (needsCalls(by)) return byGroup.size > 0;
  switch (by[0]) {
    case 'day':
    case 'week':
      return byDay.size > 0;
    case 'model':
      return byModel.size > 0;
    case 'tool':
      return tools !== undefined && tools.length > 0;
    default:
      return true;
  }
}

function toCallGrouping(by: Grouping | CallGrouping): CallGrouping {
  return typeof by === 'string' ? { by: [by], timezone: null } : by;
}

/** The calls of sessions by several keys. The rows of an outer key are together. */
function groupCalls(all: readonly GroupedUsage[], by: readonly Grouping[]): StatsGroup[] {
  const rows = groupByMap(all, ({ byGroup }) => byGroup).map((row) => {
    const keys = splitKeys(row.key);
    return { ...row, key: keys.join(JOINED), keys: [...keys] };
  });
  const weights = weighPrefixes(rows);
  return rows.toSorted((a, b) => compareRows(a, b, by, weights));
}

const JOINED = ' · ';
const TIMES: ReadonlySet<Grouping> = new Set(['day', 'week', 'month', 'hour']);

/** The dollars, and far below them the tokens, of all rows with the same first keys. */
function weighPrefixes(rows: readonly StatsGroup[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { keys, usageRecorded } of rows) {
    const weight = sumKnownCost(usageRecorded) + usageRecorded.total * 1e-12;
    for (const at of keys.keys()) incrementCount(weights, JSON.stringify(keys.slice(0, at + 1)), weight);
  }
  return weights;
}

/** Compares rows key by key: times in their order, others by their weight. */
function compareRows(
  a: StatsGroup,
  b: StatsGroup,
  by: readonly Grouping[],
  weights: ReadonlyMap<string, number>,
): number {
  const weigh = (keys: readonly string[]): number => weights.get(JSON.stringify(keys)) ?? 0;
  for (const [at, name] of by.entries()) {
    const one = a.keys[at] ?? '';
    const other = b.keys[at] ?? '';
    if (one === other) continue;
    const difference = TIMES.has(name) ? 0 : weigh(b.keys.slice(0, at + 1)) - weigh(a.keys.slice(0, at + 1));
    return difference || compareTexts(one, other);
  }
  return 0;
}

function groupSums<Of extends GroupedUsage>(
  all: readonly Of[],
  by: Grouping,
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
    default:
      return groupCalls(all, [by]);
  }
}

/** The sums of weeks, under the day of their Monday. */
function sumByWeek(byDay: ReadonlyMap<string, UsageSums>): ReadonlyMap<string, UsageSums> {
  const days = groupByKey([...byDay].map(([day, sums]) => [findMonday(day), sums] as const));
  return new Map([...days].map(([monday, sums]) => [monday, sumUsage(sums)]));
}

type GroupedUsage = UsageCounts & Pick<SessionUsage, 'file' | 'cwd'> & { readonly tools?: SessionStats['tools'] };

function groupByMap<Of extends GroupedUsage>(
  all: readonly Of[],
  mapOf: (stats: Of) => ReadonlyMap<string, UsageSums>,
): StatsGroup[] {
  const sums = groupByKey(all.flatMap((stats) => [...mapOf(stats)]));
  return [...sums].map(([key, some]) => {
    return { key, keys: [key], sessions: some.length, ...NO_COUNTS, usageRecorded: toUsageDocument(sumUsage(some)) };
  });
}

function groupByTool(all: readonly SessionStats[]): StatsGroup[] {
  const { tools } = sumCounts(all);
  return tools
    .map(({ name, calls, errors, resultTokens, usage }) => ({
      key: name,
      keys: [name],
      sessions: all.filter((stats) => stats.tools.some((tool) => tool.name === name)).length,
      toolCalls: calls,
      toolErrors: errors,
      usageRecorded: toUsageDocument(usage),
      tokensEstimated: sumNumbers(resultTokens),
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
    return { key, keys: [key], sessions: stats.length, ...countsIn(stats), usageRecorded: toUsageDocument(usage) };
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
  for (const [key, item] of items) addTo(keys, key, item);
  return keys;
}

function compareCosts({ key, usageRecorded: a }: StatsGroup, { key: other, usageRecorded: b }: StatsGroup): number {
  return sumKnownCost(b) - sumKnownCost(a) || b.input - a.input || compareTexts(key, other);
}
