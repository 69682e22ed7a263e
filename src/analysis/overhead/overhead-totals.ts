import { findToolServer } from '#context/contents/tool-server.js';
import type { CarriedContent, CarriedKind } from './carried-contents.js';
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
    const fullNames = buildFullNames(session);
    const carried = session.contents.flatMap((content) => this.takeContent(session, content, fullNames));
    for (const thing of carried) {
      if (thing.sums.requests > 0) thing.carrying.add(session.file);
    }
    this.takeUses(session);
  }

  list(): readonly OverheadTotal[] {
    return [...this.totals.values()];
  }

  private takeContent(
    session: SessionOverhead,
    content: CarriedContent,
    fullNames: FullNames,
  ): readonly OverheadTotal[] {
    const { kind, name } = content;
    if (kind === 'memory files' || kind === 'hooks') return [this.takeWhole(session, content)];
    if (kind === 'tools' && name !== null) return [this.takeServer(session, name, content)];
    return this.takeItems(session, content, fullNames);
  }

  private takeWhole(session: SessionOverhead, { kind, name, sums, texts }: CarriedContent): OverheadTotal {
    const thing = this.findOrAdd(session, KIND_OF[kind], name);
    thing.sums = addCarried(thing.sums, sums);
    // Each run of a hook puts one text into the context.
    if (kind === 'hooks') addUses(thing, session, texts);
    return thing;
  }

  private takeServer(session: SessionOverhead, name: string, { sums, items }: CarriedContent): OverheadTotal {
    const server = this.findOrAdd(session, 'mcp server', name);
    server.sums = addCarried(server.sums, sums);
    for (const [item, own] of items) {
      const tool = findOrAddTool(server, item);
      tool.sums = addCarried(tool.sums, own);
    }
    return server;
  }

  private takeItems(
    session: SessionOverhead,
    { kind, name, items }: CarriedContent,
    fullNames: FullNames,
  ): readonly OverheadTotal[] {
    return [...items].map(([item, own]) => {
      const ownName = item ?? name;
      const fullName = kind === 'skills' && ownName !== null ? (fullNames.get(ownName) ?? ownName) : ownName;
      const thing = this.findOrAdd(session, KIND_OF[kind], fullName);
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
      if (server !== null) findOrAddTool(this.findOrAdd(session, 'mcp server', server), tool).uses += count;
      addUses(this.findOrAdd(session, server === null ? 'tool' : 'mcp server', server ?? tool), session, count);
    }
    for (const [name, count] of skills) addUses(this.totals.get(keyOf(session, 'skill', name)), session, count);
    for (const [name, count] of agents) addUses(this.totals.get(keyOf(session, 'agent', name)), session, count);
  }

  private findOrAdd(session: SessionOverhead, kind: OverheadKind, name: string | null): OverheadTotal {
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

/** The kind of a thing by that of its content. All tools of a server are one thing, an `mcp server`. */
const KIND_OF: Readonly<Record<CarriedKind, OverheadKind>> = {
  'memory files': 'memory file',
  tools: 'tool',
  skills: 'skill',
  agents: 'agent',
  hooks: 'hook',
};

function keyOf({ agent }: SessionOverhead, kind: OverheadKind, name: string | null): string {
  return JSON.stringify([agent.name, kind, name]);
}

/** The names of skills that a plugin brings, such as `plugin:skill`, by the name without the plugin. */
type FullNames = ReadonlyMap<string, string>;

/** A loaded skill is named by its folder. If a plugin brings it, its calls and its list name the plugin too. */
function buildFullNames({ contents, uses }: SessionOverhead): FullNames {
  const listed = contents.flatMap(({ kind, items }) => (kind === 'skills' ? [...items.keys()] : []));
  const fullNames = new Map<string, string>();
  for (const name of [...listed, ...uses.skills.keys()]) {
    const end = name?.lastIndexOf(':') ?? -1;
    if (name === null || end < 0) continue;
    const folder = name.slice(end + 1);
    if (!fullNames.has(folder)) fullNames.set(folder, name);
  }
  return fullNames;
}

function isListed({ contents }: SessionOverhead, kind: CarriedKind, item: string | null): boolean {
  return contents.some((content) => content.kind === kind && content.name === null && content.items.has(item));
}

function findOrAddTool({ tools }: OverheadTotal, name: string | null): ToolOfServer {
  const existing = tools.get(name);
  if (existing) return existing;
  const tool: ToolOfServer = { sums: NOTHING_CARRIED, uses: 0 };
  tools.set(name, tool);
  return tool;
}

function addUses(thing: OverheadTotal | undefined, { file }: SessionOverhead, count: number): void {
  if (!thing || count === 0) return;
  thing.uses = (thing.uses ?? 0) + count;
  thing.using.add(file);
}
