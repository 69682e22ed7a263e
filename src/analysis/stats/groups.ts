import { largestOf } from './entry-tally.js';
import { CATEGORIES, type Grouping } from './names.js';
import type { SessionCounts, EntryKind, MessageCounts, SessionStats } from './session-stats.js';
import { emptyBreakdown, breakdownTotal } from './token-breakdown.js';
import type { Repeat, ToolUsage } from './tool-tally.js';
import { costKnown, NO_USAGE, plusSums, type UsageSums } from './usage-sums.js';

/** One row of totals that were put in groups. What a grouping cannot tell is null. */
export interface StatsGroup {
  readonly key: string;
  readonly sessions: number;
  readonly usage: UsageSums;
  readonly toolCalls: number | null;
  readonly toolErrors: number | null;
  /** Estimated, of what the entries of the group brought in. */
  readonly tokens: number | null;
}

/** Days and sessions in their order, everything else by cost, tokens and name. Rows add up to the totals. */
export function groupsOf(all: readonly SessionStats[], by: Grouping): readonly StatsGroup[] {
  switch (by) {
    case 'day':
      return byMap(all, ({ byDay }) => byDay).toSorted((a, b) => order(a.key, b.key));
    case 'model':
      return byMap(all, ({ byModel }) => byModel).toSorted(byCost);
    case 'tool':
      return byTool(all);
    case 'project':
      return bySessions(all, ({ cwd }) => cwd ?? '').toSorted(byCost);
    case 'session':
      return bySessions(all, ({ file }) => file);
  }
}

function byMap(
  all: readonly SessionStats[],
  mapOf: (stats: SessionStats) => ReadonlyMap<string, UsageSums>,
): readonly StatsGroup[] {
  const keys = new Map<string, UsageSums[]>();
  for (const stats of all) {
    for (const [key, sums] of mapOf(stats)) {
      const known = keys.get(key);
      if (known) known.push(sums);
      else keys.set(key, [sums]);
    }
  }
  return [...keys].map(([key, sums]) => ({
    key,
    sessions: sums.length,
    usage: sumsOf(sums),
    toolCalls: null,
    toolErrors: null,
    tokens: null,
  }));
}

function byTool(all: readonly SessionStats[]): readonly StatsGroup[] {
  return addUp(all)
    .tools.map(({ name, calls, errors, resultTokens, usage }) => ({
      key: name,
      sessions: all.filter(({ tools }) => tools.some((tool) => tool.name === name)).length,
      usage,
      toolCalls: calls,
      toolErrors: errors,
      tokens: sum(resultTokens, (tokens) => tokens),
    }))
    .toSorted((a, b) => b.tokens - a.tokens || order(a.key, b.key));
}

function bySessions(all: readonly SessionStats[], keyOf: (stats: SessionStats) => string): readonly StatsGroup[] {
  const keys = new Map<string, SessionStats[]>();
  for (const stats of all) {
    const known = keys.get(keyOf(stats));
    if (known) known.push(stats);
    else keys.set(keyOf(stats), [stats]);
  }
  return [...keys].map(([key, stats]) => {
    const { usage, messages, tools, ledger } = addUp(stats);
    return {
      key,
      sessions: stats.length,
      usage,
      toolCalls: messages.toolCalls,
      toolErrors: sum(tools, ({ errors }) => errors),
      tokens: breakdownTotal(ledger),
    };
  });
}

function byCost(a: StatsGroup, b: StatsGroup): number {
  return costKnown(b.usage) - costKnown(a.usage) || b.usage.input - a.usage.input || order(a.key, b.key);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The counts of many sessions together. */
export function addUp(all: readonly SessionCounts[]): SessionCounts {
  const ledger = emptyBreakdown();
  for (const { ledger: one } of all) for (const name of CATEGORIES) ledger[name] += one[name];
  return {
    entries: sum(all, ({ entries }) => entries),
    messages: messagesOf(all),
    usage: sumsOf(all.map(({ usage }) => usage)),
    isCostRecorded: all.some(({ isCostRecorded }) => isCostRecorded),
    bySource: mapsOf(all.map(({ bySource }) => bySource)),
    byModel: mapsOf(all.map(({ byModel }) => byModel)),
    byDay: mapsOf(all.map(({ byDay }) => byDay)),
    ledger,
    kinds: kindsOf(all),
    tools: toolsOf(all),
    largest: largestOf(all.flatMap(({ largest }) => largest)),
    repeats: all.flatMap<Repeat>(({ repeats }) => repeats),
    samples: all.flatMap(({ samples }) => samples),
    shared: {
      entries: sum(all, ({ shared }) => shared.entries),
      tokens: sum(all, ({ shared }) => shared.tokens),
      usage: sumsOf(all.map(({ shared }) => shared.usage)),
    },
  };
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function sumsOf(all: readonly UsageSums[]): UsageSums {
  return all.reduce(plusSums, NO_USAGE);
}

function mapsOf<Key>(maps: readonly ReadonlyMap<Key, UsageSums>[]): ReadonlyMap<Key, UsageSums> {
  const all = new Map<Key, UsageSums>();
  for (const map of maps) for (const [key, sums] of map) all.set(key, plusSums(all.get(key) ?? NO_USAGE, sums));
  return all;
}

function messagesOf(all: readonly SessionCounts[]): MessageCounts {
  return {
    user: sum(all, ({ messages }) => messages.user),
    assistant: sum(all, ({ messages }) => messages.assistant),
    toolResults: sum(all, ({ messages }) => messages.toolResults),
    total: sum(all, ({ messages }) => messages.total),
    toolCalls: sum(all, ({ messages }) => messages.toolCalls),
  };
}

function kindsOf(all: readonly SessionCounts[]): readonly EntryKind[] {
  const kinds = new Map<string, EntryKind>();
  for (const kind of all.flatMap((one) => one.kinds)) {
    const key = `${kind.type}/${kind.role}`;
    const known = kinds.get(key) ?? { ...kind, entries: 0, bytes: 0, tokens: 0 };
    const { entries, bytes, tokens } = known;
    kinds.set(key, {
      ...known,
      entries: entries + kind.entries,
      bytes: bytes + kind.bytes,
      tokens: tokens + kind.tokens,
    });
  }
  return [...kinds.values()];
}

function toolsOf(all: readonly SessionCounts[]): readonly ToolUsage[] {
  const tools = new Map<
    string,
    { name: string; calls: number; errors: number; resultTokens: number[]; usage: UsageSums }
  >();
  for (const { name, calls, errors, resultTokens, usage } of all.flatMap((one) => one.tools)) {
    const known = tools.get(name) ?? { name, calls: 0, errors: 0, resultTokens: [], usage: NO_USAGE };
    known.calls += calls;
    known.errors += errors;
    known.usage = plusSums(known.usage, usage);
    for (const tokens of resultTokens) known.resultTokens.push(tokens);
    tools.set(name, known);
  }
  return [...tools.values()];
}
