import { sumBy, sumNumbers } from '#base/lists.js';
import type { ContentKind } from '#context/contents/kinds.js';
import { findToolServer } from '#context/contents/tool-server.js';
import {
  MISSING_PARTS,
  type Overhead,
  OVERHEAD_KINDS,
  type OverheadItem,
  type OverheadKind,
  type OverheadSums,
} from './document.js';
import { listRemovingEdits } from './removing-edits.js';
import {
  addCarriedSums,
  type CarriedContent,
  type CarriedSums,
  type SessionOverhead,
  startSums,
} from './session-overhead.js';

/** A thing in all sessions. */
interface OverheadTotal {
  readonly agent: string;
  readonly kind: OverheadKind;
  readonly name: string | null;
  readonly sums: CarriedSums;
  /** Of a server, by tool. */
  readonly tools: Map<string | null, ToolOfServer>;
  uses: number | null;
  readonly carrying: Set<string>;
  readonly using: Set<string>;
}

interface ToolOfServer {
  readonly sums: CarriedSums;
  uses: number;
}

/** Sums up the overhead of sessions: what was never used comes first, then what costs most. */
export function sumOverhead(all: readonly SessionOverhead[], unreadable: Overhead['unreadable']): Overhead {
  const asked = all.filter(({ prompts }) => prompts.requests > 0);
  const things = new OverheadTotals();
  for (const session of all) things.take(session);
  const items = things.list().map(toItem).toSorted(compareItems);
  const sumOf = (name: 'requests' | 'requestsRecorded' | 'requestsUnpriced' | 'tokens' | 'cacheRead'): number =>
    sumBy(asked, ({ prompts }) => prompts[name]);
  const isPriced = sumOf('requestsUnpriced') < sumOf('requests');
  return {
    schema: 'ctx/overhead',
    schemaVersion: 1,
    sessions: asked.length,
    subagents: asked.filter(({ isSubagent }) => isSubagent).length,
    unreadable,
    requests: sumOf('requests'),
    requestsRecorded: sumOf('requestsRecorded'),
    promptTokens: sumOf('tokens'),
    cacheRead: sumOf('cacheRead'),
    cost: isPriced ? sumBy(asked, ({ prompts }) => prompts.cost) : null,
    isCostListed: asked.some(({ prompts }) => prompts.isCostListed),
    requestsUnpriced: sumOf('requestsUnpriced'),
    items,
    unused: OVERHEAD_KINDS.flatMap((kind) => sumUnused(kind, items)),
    notRecorded: sumNotRecorded(asked),
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

class OverheadTotals {
  private readonly known = new Map<string, OverheadTotal>();

  take(session: SessionOverhead): void {
    const own: OverheadTotal[] = [];
    for (const content of session.contents) own.push(...this.takeContent(session, content));
    for (const thing of own) if (thing.sums.requests > 0) thing.carrying.add(session.file);
    this.takeUses(session);
  }

  list(): readonly OverheadTotal[] {
    return [...this.known.values()];
  }

  private takeContent(session: SessionOverhead, content: CarriedContent): readonly OverheadTotal[] {
    const { kind, name, sums, items, texts } = content;
    if (kind === 'memory files' || kind === 'hooks') {
      const thing = this.find(session, kind === 'hooks' ? 'hook' : 'memory file', name);
      addCarriedSums(thing.sums, sums);
      if (kind === 'hooks') addUses(thing, session, texts);
      return [thing];
    }
    if (kind === 'tools' && name !== null) {
      const server = this.find(session, 'mcp server', name);
      addCarriedSums(server.sums, sums);
      for (const [tool, own] of items) addCarriedSums(findTool(server, tool).sums, own);
      return [server];
    }
    return [...items].map(([item, own]) => {
      const known = resolveName(session, kind, item ?? name);
      const thing = this.find(session, KIND_OF[kind] ?? 'tool', known);
      // The requests that carried a loaded skill carried the list with its name too.
      const isLoaded = name !== null || known !== item;
      addCarriedSums(thing.sums, isLoaded && isListed(session, kind, known) ? { ...own, requests: 0 } : own);
      return thing;
    });
  }

  /** Tools that were called count also where no request is known to have carried them. */
  private takeUses(session: SessionOverhead): void {
    const { tools, skills, agents } = session.uses;
    for (const [tool, count] of tools) {
      const server = findToolServer(tool);
      if (server !== null) findTool(this.find(session, 'mcp server', server), tool).uses += count;
      addUses(this.find(session, server === null ? 'tool' : 'mcp server', server ?? tool), session, count);
    }
    for (const [name, count] of skills) addUses(this.known.get(keyOf(session, 'skill', name)), session, count);
    for (const [name, count] of agents) addUses(this.known.get(keyOf(session, 'agent', name)), session, count);
  }

  private find(session: SessionOverhead, kind: OverheadKind, name: string | null): OverheadTotal {
    const key = keyOf(session, kind, name);
    const known = this.known.get(key);
    if (known) return known;
    const uses = kind === 'memory file' || name === null ? null : 0;
    const thing: OverheadTotal = {
      agent: session.agent.name,
      kind,
      name,
      sums: startSums(),
      tools: new Map(),
      uses,
      carrying: new Set(),
      using: new Set(),
    };
    this.known.set(key, thing);
    return thing;
  }
}

const KIND_OF: Readonly<Partial<Record<ContentKind, OverheadKind>>> = {
  tools: 'tool',
  skills: 'skill',
  agents: 'agent',
};

function keyOf({ agent }: SessionOverhead, kind: OverheadKind, name: string | null): string {
  return JSON.stringify([agent.name, kind, name]);
}

/** A loaded skill is named by its folder. If a plugin brings it, its calls and its list name the plugin too. */
function resolveName({ contents, uses }: SessionOverhead, kind: ContentKind, name: string | null): string | null {
  if (kind !== 'skills' || name === null || name.includes(':')) return name;
  const listed = contents.flatMap((content) => (content.kind === kind ? [...content.items.keys()] : []));
  return [...listed, ...uses.skills.keys()].find((known) => known?.endsWith(`:${name}`)) ?? name;
}

function isListed({ contents }: SessionOverhead, kind: ContentKind, item: string | null): boolean {
  return contents.some((content) => content.kind === kind && content.name === null && content.items.has(item));
}

function findTool({ tools }: OverheadTotal, name: string | null): ToolOfServer {
  const known = tools.get(name) ?? { sums: startSums(), uses: 0 };
  tools.set(name, known);
  return known;
}

function addUses(thing: OverheadTotal | undefined, { file }: SessionOverhead, count: number): void {
  if (!thing || count === 0) return;
  thing.uses = (thing.uses ?? 0) + count;
  thing.using.add(file);
}

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
