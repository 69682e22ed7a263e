import { sumBy } from '#base/lists.js';
import { addCostParts } from './cost-parts.js';
import type { EntryKind, MessageCounts, Repeat } from './document.js';
import { addEntryKind, keepLargest } from './entry-tally.js';
import type { SessionCounts } from './session-stats.js';
import { addBreakdowns } from './token-breakdown.js';
import { findToolUsage, type ToolUsage } from './tool-tally.js';
import { addUsageSums, sumUsage } from './usage-sums.js';

/** The counts of many sessions together. */
export function sumCounts(all: readonly SessionCounts[]): SessionCounts {
  return {
    entries: sumBy(all, ({ entries }) => entries),
    messages: sumMessages(all),
    usage: sumUsage(all.map(({ usage }) => usage)),
    bySource: sumMaps(all, ({ bySource }) => bySource, addUsageSums),
    byModel: sumMaps(all, ({ byModel }) => byModel, addUsageSums),
    byDay: sumMaps(all, ({ byDay }) => byDay, addUsageSums),
    byGroup: sumMaps(all, ({ byGroup }) => byGroup, addUsageSums),
    partsByModel: sumMaps(all, ({ partsByModel }) => partsByModel, addCostParts),
    ledger: addBreakdowns(all.map(({ ledger }) => ledger)),
    entryTypes: sumKinds(all),
    tools: sumTools(all),
    largest: keepLargest(all.flatMap(({ largest }) => largest)),
    repeats: all.flatMap<Repeat>(({ repeats }) => repeats),
    samples: all.flatMap(({ samples }) => samples),
    shared: {
      entries: sumBy(all, ({ shared }) => shared.entries),
      tokens: sumBy(all, ({ shared }) => shared.tokens),
      usage: sumUsage(all.map(({ shared }) => shared.usage)),
    },
  };
}

/** Adds up a map of each session, key by key. */
function sumMaps<Key, Sum>(
  all: readonly SessionCounts[],
  mapOf: (counts: SessionCounts) => ReadonlyMap<Key, Sum>,
  add: (some: Sum, others: Sum) => Sum,
): ReadonlyMap<Key, Sum> {
  const sums = new Map<Key, Sum>();
  for (const [key, sum] of all.flatMap((counts) => [...mapOf(counts)])) {
    const earlier = sums.get(key);
    sums.set(key, earlier === undefined ? sum : add(earlier, sum));
  }
  return sums;
}

function sumMessages(all: readonly SessionCounts[]): MessageCounts {
  return {
    user: sumBy(all, ({ messages }) => messages.user),
    assistant: sumBy(all, ({ messages }) => messages.assistant),
    toolResults: sumBy(all, ({ messages }) => messages.toolResults),
    total: sumBy(all, ({ messages }) => messages.total),
    toolCalls: sumBy(all, ({ messages }) => messages.toolCalls),
  };
}

function sumKinds(all: readonly SessionCounts[]): readonly EntryKind[] {
  const kinds = new Map<string, EntryKind>();
  for (const kind of all.flatMap((one) => one.entryTypes)) addEntryKind(kinds, kind);
  return [...kinds.values()];
}

function sumTools(all: readonly SessionCounts[]): readonly ToolUsage[] {
  const tools = new Map<string, ToolUsage>();
  for (const { name, calls, errors, resultTokens, usage } of all.flatMap((one) => one.tools)) {
    const tool = findToolUsage(tools, name);
    tool.calls += calls;
    tool.errors += errors;
    tool.usage = addUsageSums(tool.usage, usage);
    for (const tokens of resultTokens) tool.resultTokens.push(tokens);
  }
  return [...tools.values()];
}
