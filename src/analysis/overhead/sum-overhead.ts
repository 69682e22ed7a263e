import { sumBy, sumNumbers } from '#base/lists.js';
import type { CarriedSums } from './carried-sums.js';
import {
  MISSING_PARTS,
  type Overhead,
  OVERHEAD_KINDS,
  type OverheadItem,
  type OverheadKind,
  type OverheadSums,
} from './document.js';
import { type OverheadTotal, OverheadTotals } from './overhead-totals.js';
import { listRemovingEdits } from './removing-edits.js';
import type { SessionOverhead } from './session-overhead.js';

/** Sums up the overhead of sessions: what was never used comes first, then what costs most. */
export function sumOverhead(all: readonly SessionOverhead[], unreadable: Overhead['unreadable']): Overhead {
  const sessions = all.filter(({ prompts }) => prompts.requests > 0);
  const things = new OverheadTotals();
  for (const session of all) things.take(session);
  const items = things.list().map(toItem).toSorted(compareItems);
  const sumOf = (name: 'requests' | 'requestsRecorded' | 'requestsUnpriced' | 'tokens' | 'cacheRead'): number =>
    sumBy(sessions, ({ prompts }) => prompts[name]);
  const isPriced = sumOf('requestsUnpriced') < sumOf('requests');
  return {
    schema: 'ctx/overhead',
    schemaVersion: 1,
    sessions: sessions.length,
    subagents: sessions.filter(({ isSubagent }) => isSubagent).length,
    unreadable,
    requests: sumOf('requests'),
    requestsRecorded: sumOf('requestsRecorded'),
    promptTokens: sumOf('tokens'),
    cacheRead: sumOf('cacheRead'),
    cost: isPriced ? sumBy(sessions, ({ prompts }) => prompts.cost) : null,
    isCostListed: sessions.some(({ prompts }) => prompts.isCostListed),
    requestsUnpriced: sumOf('requestsUnpriced'),
    items,
    unused: OVERHEAD_KINDS.flatMap((kind) => sumUnused(kind, items)),
    notRecorded: sumNotRecorded(sessions),
  };
}

/** Whether a thing was in requests and could have been used, but never was. */
export function isNeverUsed({ name, uses, requests, kind }: OverheadItem): boolean {
  return USABLE.has(kind) && name !== null && uses === 0 && requests > 0;
}

/** The cost of a thing; null if it is unknown. */
export function costOf({ costCached, costUncached }: Pick<OverheadSums, 'costCached' | 'costUncached'>): number | null {
  return costCached === null || costUncached === null ? null : costCached + costUncached;
}

const USABLE: ReadonlySet<OverheadKind> = new Set(['mcp server', 'tool', 'skill', 'agent']);

function toItem({ agent, kind, name, sums, tools, uses, carrying, using }: OverheadTotal): OverheadItem {
  const ofTools = [...tools].map(([tool, own]) => {
    return { name: tool, ...toSums(own.sums), uses: tool === null ? null : own.uses };
  });
  return {
    agent,
    kind,
    name,
    ...toSums(sums),
    uses,
    sessions: carrying.size,
    sessionsUsing: using.size,
    tools: ofTools.toSorted((a, b) => b.tokens - a.tokens),
    remove: name === null ? [] : [...listRemovingEdits({ agent, kind, name })],
  };
}

function toSums({ tokens, tokensCached, requests, requestsPriced, ...costs }: CarriedSums): OverheadSums {
  const isPriced = requestsPriced > 0;
  return {
    tokens,
    tokensCached: Math.round(tokensCached),
    tokensPerRequest: requests === 0 ? null : tokens / requests,
    requests,
    costCached: isPriced ? costs.costCached : null,
    costUncached: isPriced ? costs.costUncached : null,
    isCostListed: costs.isCostListed,
  };
}

function compareItems(a: OverheadItem, b: OverheadItem): number {
  return Number(isNeverUsed(b)) - Number(isNeverUsed(a)) || (costOf(b) ?? 0) - (costOf(a) ?? 0) || b.tokens - a.tokens;
}

function sumUnused(kind: OverheadKind, items: readonly OverheadItem[]): Overhead['unused'] {
  const own = items.filter((item) => item.kind === kind && item.name !== null && item.requests > 0);
  if (!USABLE.has(kind) || own.length === 0) return [];
  const never = own.filter(isNeverUsed);
  const priced = never.flatMap((item) => costOf(item) ?? []);
  return [
    {
      kind,
      things: own.length,
      neverUsed: never.length,
      tokens: sumBy(never, ({ tokens }) => tokens),
      cost: priced.length === 0 && never.length > 0 ? null : sumNumbers(priced),
      isCostListed: never.some(({ isCostListed }) => isCostListed),
    },
  ];
}

function sumNotRecorded(sessions: readonly SessionOverhead[]): Overhead['notRecorded'] {
  const lacking = sessions.filter(({ agent, prompts }) => agent.lacks.length > 0 || prompts.notRecorded > 0);
  const agents = new Set(lacking.map(({ agent }) => agent.name));
  return [...agents].map((name) => {
    const own = lacking.filter(({ agent }) => agent.name === name);
    const parts = new Set(own.flatMap(({ agent }) => agent.lacks));
    return {
      agent: name,
      title: own[0]?.agent.title ?? name,
      sessions: own.length,
      requests: sumBy(own, ({ prompts }) => prompts.requests),
      tokens: sumBy(own, ({ prompts }) => prompts.notRecorded),
      cost: own.some(({ prompts }) => prompts.requestsUnpriced < prompts.requests)
        ? sumBy(own, ({ prompts }) => prompts.notRecordedCost)
        : null,
      parts: MISSING_PARTS.filter((part) => parts.has(part)),
    };
  });
}
