import { addUp, sumsOf } from './add-up.js';
import { ledgerTotal } from './ledger.js';
import type { SessionStats } from './session-stats.js';
import { costKnown, type UsageSums } from './usage-sums.js';

export const GROUPINGS = ['day', 'model', 'tool', 'project', 'session'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** One row of totals that were put in groups. What a grouping cannot tell is null. */
export interface Group {
  readonly key: string;
  readonly sessions: number;
  readonly usage: UsageSums;
  readonly toolCalls: number | null;
  readonly toolErrors: number | null;
  /** Estimated, of what the entries of the group brought in. */
  readonly tokens: number | null;
}

/** Days and sessions in their order, everything else by cost, tokens and name. Rows add up to the totals. */
export function groupsOf(all: readonly SessionStats[], by: Grouping): readonly Group[] {
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
): readonly Group[] {
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

function byTool(all: readonly SessionStats[]): readonly Group[] {
  return addUp(all)
    .tools.map(({ name, calls, errors, resultTokens, usage }) => ({
      key: name,
      sessions: all.filter(({ tools }) => tools.some((tool) => tool.name === name)).length,
      usage,
      toolCalls: calls,
      toolErrors: errors,
      tokens: resultTokens.reduce((sum, tokens) => sum + tokens, 0),
    }))
    .toSorted((a, b) => b.tokens - a.tokens || order(a.key, b.key));
}

function bySessions(all: readonly SessionStats[], keyOf: (stats: SessionStats) => string): readonly Group[] {
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
      toolErrors: tools.reduce((sum, { errors }) => sum + errors, 0),
      tokens: ledgerTotal(ledger),
    };
  });
}

function byCost(a: Group, b: Group): number {
  return costKnown(b.usage) - costKnown(a.usage) || b.usage.input - a.usage.input || order(a.key, b.key);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
