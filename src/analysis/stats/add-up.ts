import { largestOf } from './entry-tally.js';
import { CATEGORIES, emptyLedger } from './ledger.js';
import type { Counts, EntryKind, MessageCounts } from './session-stats.js';
import type { Repeat, ToolUse } from './tool-tally.js';
import { NO_USAGE, plusSums, type UsageSums } from './usage-sums.js';

/** The counts of many sessions together. */
export function addUp(all: readonly Counts[]): Counts {
  const ledger = emptyLedger();
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

export function sumsOf(all: readonly UsageSums[]): UsageSums {
  return all.reduce(plusSums, NO_USAGE);
}

function mapsOf<Key>(maps: readonly ReadonlyMap<Key, UsageSums>[]): ReadonlyMap<Key, UsageSums> {
  const all = new Map<Key, UsageSums>();
  for (const map of maps) for (const [key, sums] of map) all.set(key, plusSums(all.get(key) ?? NO_USAGE, sums));
  return all;
}

function messagesOf(all: readonly Counts[]): MessageCounts {
  return {
    user: sum(all, ({ messages }) => messages.user),
    assistant: sum(all, ({ messages }) => messages.assistant),
    toolResults: sum(all, ({ messages }) => messages.toolResults),
    total: sum(all, ({ messages }) => messages.total),
    toolCalls: sum(all, ({ messages }) => messages.toolCalls),
  };
}

function kindsOf(all: readonly Counts[]): readonly EntryKind[] {
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

function toolsOf(all: readonly Counts[]): readonly ToolUse[] {
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
