import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { nearest } from '#base/nearest.js';
import type { FoundFile } from '#platform/files/walk.js';
import { type Io, noHome } from '#platform/io.js';
import type { AgentFormat } from '#session/agents/define.js';
import { detectAgent } from '#session/agents/detect.js';
import { AGENTS } from '#session/agents/index.js';
import { peekForeign } from '#session/agents/reader.js';
import { bytesIn } from '#session/scan/bytes.js';
import type { Found, FoundSession } from './named-files.js';

/** Means all agents, and Pi. */
export const ALL_AGENTS = 'all';

/** The formats that `--agent` names. Throws a CtxError (usage) for an unknown name. */
export function agentsNamed(name: string): readonly AgentFormat[] {
  if (name === ALL_AGENTS) return AGENTS;
  const found = AGENTS.filter((agent) => agent.name === name);
  if (found.length > 0) return found;
  const names = [...AGENTS.map((agent) => agent.name), ALL_AGENTS];
  const meant = nearest(name, names);
  throw new CtxError('usage', `unknown agent "${name}"`, {
    where: '--agent',
    hint: meant === null ? `choose one of ${names.join(', ')}` : `did you mean "${meant}"?`,
  });
}

/** The sessions of agents below a folder; without one, below their own folders. */
export function foreignSessions(io: Io, agents: readonly AgentFormat[], folder?: string): Found {
  const found = agents.map((agent) => sessionsOf(io, agent, folder === undefined ? foldersOf(io, agent) : [folder]));
  return {
    sessions: found.flatMap(({ sessions }) => sessions),
    others: [],
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
}

/** Files by the agent that wrote them; null for those of an unknown program. */
export function byAgent(io: Io, found: readonly FoundFile[]): ReadonlyMap<AgentFormat | null, readonly FoundFile[]> {
  const groups = new Map<AgentFormat | null, FoundFile[]>();
  for (const each of found) {
    const agent = detectAgent(bytesIn(io.files.beginning(each.file, BEGINNING_BYTES)))?.format ?? null;
    groups.set(agent, [...(groups.get(agent) ?? []), each]);
  }
  return groups;
}

function foldersOf({ env, home }: Io, agent: AgentFormat): readonly string[] {
  if (!path.isAbsolute(home)) throw noHome();
  return agent.folders(env, home);
}

function sessionsOf(io: Io, agent: AgentFormat, folders: readonly string[]): Found {
  const walks = folders.map((folder) => io.files.walk(folder));
  const files = walks.flatMap((walk) => walk.files).filter(({ file }) => agent.isSession(file));
  const sessions = files.flatMap((found): FoundSession[] => {
    const header = peekForeign(io.files.beginning(found.file, BEGINNING_BYTES), found.file, agent);
    return header === null ? [] : [{ ...found, header }];
  });
  return { sessions, others: [], unreadable: walks.flatMap(({ unreadable }) => unreadable) };
}

const BEGINNING_BYTES = 1 << 16;
