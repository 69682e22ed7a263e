import { sumBy } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import { CATEGORIES } from '#context/size/composition.js';
import type { EntryKind, MessageCounts, Repeat, StatsGroup } from './document.js';
import { addEntryKind, findToolUsage, listLargest, type ToolUsage } from './entry-tally.js';
import {
  type Grouping,
  type SessionCounts,
  type SessionStats,
  type SessionUsage,
  type UsageCounts,
} from './session-stats.js';
import { buildEmptyBreakdown, sumBreakdown } from './token-breakdown.js';
import { addUsageSums, NO_USAGE, sumKnownCost, toUsageDocument, type UsageSums } from './usage-sums.js';

/** Days and sessions in their order, others by cost, tokens and name. Rows add up to the totals. */
export function groupStats(all: readonly SessionStats[], by: Grouping): StatsGroup[] {
  return by === 'tool' ? byTool(all) : groupUsage(all, by, countsOf);
}

/** The values of a row beside its usage; `countsOf` computes them for the sessions of a row. */
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
      return byMap(all, ({ byDay }) => byDay).toSorted((a, b) => order(a.key, b.key));
    case 'week':
      return byMap(all, ({ byDay }) => inWeeks(byDay)).toSorted((a, b) => order(a.key, b.key));
    case 'model':
      return byMap(all, ({ byModel }) => byModel).toSorted(byCost);
    case 'project':
      return bySessions(all, ({ cwd }) => cwd ?? '', countsIn).toSorted(byCost);
    case 'session':
      return bySessions(all, ({ file }) => file, countsIn);
  }
}

/** The sums of weeks, under the day of their Monday. */
function inWeeks(byDay: ReadonlyMap<string, UsageSums>): ReadonlyMap<string, UsageSums> {
  const days = byKey([...byDay].map(([day, sums]) => [mondayOf(day), sums] as const));
  return new Map([...days].map(([monday, sums]) => [monday, sumsOf(sums)]));
}

/** The Monday of the week of a day; what is no day stays as it is. */
function mondayOf(day: string): string {
  const at = Date.parse(day);
  if (Number.isNaN(at)) return day;
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at - sinceMonday * 86_400_000).toISOString().slice(0, 10);
}

type GroupedUsage = UsageCounts & Pick<SessionUsage, 'file' | 'cwd'>;

function byMap<Of extends GroupedUsage>(
  all: readonly Of[],
  mapOf: (stats: Of) => ReadonlyMap<string, UsageSums>,
): StatsGroup[] {
  const sums = byKey(all.flatMap((stats) => [...mapOf(stats)]));
  return [...sums].map(([key, some]) => {
    return { key, sessions: some.length, ...NO_COUNTS, usageRecorded: toUsageDocument(sumsOf(some)) };
  });
}

function byTool(all: readonly SessionStats[]): StatsGroup[] {
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
    .toSorted((a, b) => b.tokensEstimated - a.tokensEstimated || order(a.key, b.key));
}

function bySessions<Of extends GroupedUsage>(
  all: readonly Of[],
  keyOf: (stats: Of) => string,
  countsIn: (sessions: readonly Of[]) => RowCounts,
): StatsGroup[] {
  return [...byKey(all.map((stats) => [keyOf(stats), stats]))].map(([key, stats]) => {
    const usage = sumsOf(stats.map((one) => one.usage));
    return { key, sessions: stats.length, ...countsIn(stats), usageRecorded: toUsageDocument(usage) };
  });
}

function countsOf(sessions: readonly SessionStats[]): RowCounts {
  const { messages, tools, ledger } = sumCounts(sessions);
  return {
    toolCalls: messages.toolCalls,
    toolErrors: sumBy(tools, ({ errors }) => errors),
    tokensEstimated: sumBreakdown(ledger),
  };
}

function byKey<Item>(items: Iterable<readonly [key: string, item: Item]>): ReadonlyMap<string, readonly Item[]> {
  const keys = new Map<string, Item[]>();
  for (const [key, item] of items) {
    addTo(keys, key, item);
  }
  return keys;
}

function byCost({ key, usageRecorded: a }: StatsGroup, { key: other, usageRecorded: b }: StatsGroup): number {
  return sumKnownCost(b) - sumKnownCost(a) || b.input - a.input || order(key, other);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The counts of many sessions together. */
export function sumCounts(all: readonly SessionCounts[]): SessionCounts {
  const ledger = buildEmptyBreakdown();
  for (const { ledger: one } of all) for (const name of CATEGORIES) ledger[name] += one[name];
  return {
    entries: sumBy(all, ({ entries }) => entries),
    messages: messagesOf(all),
    usage: sumsOf(all.map(({ usage }) => usage)),
    bySource: mapsOf(all.map(({ bySource }) => bySource)),
    byModel: mapsOf(all.map(({ byModel }) => byModel)),
    byDay: mapsOf(all.map(({ byDay }) => byDay)),
    ledger,
    entryTypes: kindsOf(all),
    tools: toolsOf(all),
    largest: listLargest(all.flatMap(({ largest }) => largest)),
    repeats: all.flatMap<Repeat>(({ repeats }) => repeats),
    samples: all.flatMap(({ samples }) => samples),
    shared: {
      entries: sumBy(all, ({ shared }) => shared.entries),
      tokens: sumBy(all, ({ shared }) => shared.tokens),
      usage: sumsOf(all.map(({ shared }) => shared.usage)),
    },
  };
}

function sumsOf(all: readonly UsageSums[]): UsageSums {
  return all.reduce(addUsageSums, NO_USAGE);
}

function mapsOf<Key>(maps: readonly ReadonlyMap<Key, UsageSums>[]): ReadonlyMap<Key, UsageSums> {
  const all = new Map<Key, UsageSums>();
  for (const map of maps) for (const [key, sums] of map) all.set(key, addUsageSums(all.get(key) ?? NO_USAGE, sums));
  return all;
}

function messagesOf(all: readonly SessionCounts[]): MessageCounts {
  return {
    user: sumBy(all, ({ messages }) => messages.user),
    assistant: sumBy(all, ({ messages }) => messages.assistant),
    toolResults: sumBy(all, ({ messages }) => messages.toolResults),
    total: sumBy(all, ({ messages }) => messages.total),
    toolCalls: sumBy(all, ({ messages }) => messages.toolCalls),
  };
}

function kindsOf(all: readonly SessionCounts[]): readonly EntryKind[] {
  const kinds = new Map<string, EntryKind>();
  for (const kind of all.flatMap((one) => one.entryTypes)) addEntryKind(kinds, kind);
  return [...kinds.values()];
}

function toolsOf(all: readonly SessionCounts[]): readonly ToolUsage[] {
  const tools = new Map<string, ToolUsage>();
  for (const { name, calls, errors, resultTokens, usage } of all.flatMap((one) => one.tools)) {
    const known = findToolUsage(tools, name);
    known.calls += calls;
    known.errors += errors;
    known.usage = addUsageSums(known.usage, usage);
    for (const tokens of resultTokens) known.resultTokens.push(tokens);
  }
  return [...tools.values()];
}
