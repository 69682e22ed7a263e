import type { ContentKind } from '#context/contents/kinds.js';
import { findToolServer } from '#context/contents/tool-server.js';
import type { CarriedContent } from './carried-contents.js';
import { addCarried, type CarriedSums, NOTHING_CARRIED } from './carried-sums.js';
import type { OverheadKind } from './document.js';
import type { SessionOverhead } from './session-overhead.js';

/** A thing in all sessions. */
export interface OverheadTotal {
  readonly agent: string;
  readonly kind: OverheadKind;
  readonly name: string | null;
  sums: CarriedSums;
  /** The tools of a server, by name. */
  readonly tools: Map<string | null, ToolOfServer>;
  uses: number | null;
  /** The files of the sessions whose requests carried it, and of those that used it. */
  readonly carrying: Set<string>;
  readonly using: Set<string>;
}

interface ToolOfServer {
  sums: CarriedSums;
  uses: number;
}

/** Sums up the things that the requests of sessions carried, by agent, kind and name. */
export class OverheadTotals {
  private readonly totals = new Map<string, OverheadTotal>();

  take(session: SessionOverhead): void {
    const carried = session.contents.flatMap((content) => this.takeContent(session, content));
    for (const thing of carried) {
      if (thing.sums.requests > 0) thing.carrying.add(session.file);
    }
    this.takeUses(session);
  }

  list(): readonly OverheadTotal[] {
    return [...this.totals.values()];
  }

  private takeContent(session: SessionOverhead, content: CarriedContent): readonly OverheadTotal[] {
    const { kind, name, sums, items, texts } = content;
    if (kind === 'memory files' || kind === 'hooks') {
      const thing = this.find(session, kind === 'hooks' ? 'hook' : 'memory file', name);
      thing.sums = addCarried(thing.sums, sums);
      if (kind === 'hooks') addUses(thing, session, texts);
      return [thing];
    }
    if (kind === 'tools' && name !== null) {
      const server = this.find(session, 'mcp server', name);
      server.sums = addCarried(server.sums, sums);
      for (const [item, own] of items) {
        const tool = findTool(server, item);
        tool.sums = addCarried(tool.sums, own);
      }
      return [server];
    }
    return [...items].map(([item, own]) => {
      const fullName = resolveName(session, kind, item ?? name);
      const thing = this.find(session, KIND_OF[kind] ?? 'tool', fullName);
      // The requests that carried a loaded skill carried the list with its name too.
      const isLoaded = name !== null || fullName !== item;
      const isCounted = isLoaded && isListed(session, kind, fullName);
      thing.sums = addCarried(thing.sums, isCounted ? { ...own, requests: 0 } : own);
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
    for (const [name, count] of skills) addUses(this.totals.get(keyOf(session, 'skill', name)), session, count);
    for (const [name, count] of agents) addUses(this.totals.get(keyOf(session, 'agent', name)), session, count);
  }

  private find(session: SessionOverhead, kind: OverheadKind, name: string | null): OverheadTotal {
    const key = keyOf(session, kind, name);
    const existing = this.totals.get(key);
    if (existing) return existing;
    const uses = kind === 'memory file' || name === null ? null : 0;
    const thing: OverheadTotal = {
      agent: session.agent.name,
      kind,
      name,
      sums: NOTHING_CARRIED,
      tools: new Map(),
      uses,
      carrying: new Set(),
      using: new Set(),
    };
    this.totals.set(key, thing);
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
  return [...listed, ...uses.skills.keys()].find((other) => other?.endsWith(`:${name}`)) ?? name;
}

function isListed({ contents }: SessionOverhead, kind: ContentKind, item: string | null): boolean {
  return contents.some((content) => content.kind === kind && content.name === null && content.items.has(item));
}

function findTool({ tools }: OverheadTotal, name: string | null): ToolOfServer {
  const tool = tools.get(name) ?? { sums: NOTHING_CARRIED, uses: 0 };
  tools.set(name, tool);
  return tool;
}

function addUses(thing: OverheadTotal | undefined, { file }: SessionOverhead, count: number): void {
  if (!thing || count === 0) return;
  thing.uses = (thing.uses ?? 0) + count;
  thing.using.add(file);
}
