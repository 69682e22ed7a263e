import { sumBy } from '#base/lists.js';
import { addCostParts, type CostParts, NO_COST_PARTS } from './cost-parts.js';
import type { EntryKind, MessageCounts, Repeat } from './document.js';
import { addEntryKind, keepLargest } from './entry-tally.js';
import type { SessionCounts } from './session-stats.js';
import { addBreakdowns } from './token-breakdown.js';
import { findToolUsage, type ToolUsage } from './tool-tally.js';
import { addUsageSums, NO_USAGE, type UsageSums } from './usage-sums.js';

/** The counts of many sessions together. */
export function sumCounts(all: readonly SessionCounts[]): SessionCounts {
  return {
    entries: sumBy(all, ({ entries }) => entries),
    messages: sumMessages(all),
    usage: sumUsage(all.map(({ usage }) => usage)),
    bySource: sumMaps(all.map(({ bySource }) => bySource)),
    byModel: sumMaps(all.map(({ byModel }) => byModel)),
    byDay: sumMaps(all.map(({ byDay }) => byDay)),
    byGroup: sumMaps(all.map(({ byGroup }) => byGroup)),
    partsByModel: sumParts(all),
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

export function sumUsage(all: readonly UsageSums[]): UsageSums {
  return all.reduce(addUsageSums, NO_USAGE);
}

function sumMaps<Key>(maps: readonly ReadonlyMap<Key, UsageSums>[]): ReadonlyMap<Key, UsageSums> {
  const all = new Map<Key, UsageSums>();
  for (const map of maps) for (const [key, sums] of map) all.set(key, addUsageSums(all.get(key) ?? NO_USAGE, sums));
  return all;
}

function sumParts(all: readonly SessionCounts[]): ReadonlyMap<string, CostParts> {
  const sums = new Map<string, CostParts>();
  for (const { partsByModel } of all)
    for (const [model, parts] of partsByModel) sums.set(model, addCostParts(sums.get(model) ?? NO_COST_PARTS, parts));
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
    const known = findToolUsage(tools, name);
    known.calls += calls;
    known.errors += errors;
    known.usage = addUsageSums(known.usage, usage);
    for (const tokens of resultTokens) known.resultTokens.push(tokens);
  }
  return [...tools.values()];
}
