import path from 'node:path';
import type { FolderWalk } from '#platform/files/walk-folder.js';
import type { AgentFormat } from '#session/agents/define.js';
import { AGENTS, ALL_AGENTS } from '#session/agents/index.js';
import { buildNoHomeError, findSessionsFolder } from '#session/agents/pi-folders.js';
import { toContentName } from '#session/scan/compression.js';
import type { Surroundings } from '../surroundings.js';
import { walkSessionFiles } from './session-files.js';

/** The name of Pi as `--agent` has it. */
export const PI = 'pi';

/** A folder in which an agent keeps its sessions. */
export interface AgentFolder {
  /** The name of the agent, as `--agent` takes it. */
  readonly name: string;
  /** null for Pi. */
  readonly agent: AgentFormat | null;
  readonly folder: string;
}

/** The folders of all agents, Pi's first, whether they exist or not. */
export function listAgentFolders(io: Surroundings): readonly AgentFolder[] {
  const { env, home } = io;
  if (!path.isAbsolute(home)) throw buildNoHomeError();
  const ofPi = findSessionsFolder(io);
  return [
    ...(ofPi === null ? [] : [{ name: PI, agent: null, folder: ofPi }]),
    ...AGENTS.flatMap((agent) => agent.folders(env, home).map((folder) => ({ name: agent.name, agent, folder }))),
  ];
}

/** The files in a folder of an agent whose names are those of sessions. */
export function walkAgentFolder(io: Surroundings, { agent, folder }: AgentFolder): FolderWalk {
  const walk = walkSessionFiles(io, folder, agent?.mayEnter?.bind(agent));
  const isSession = agent?.isSession.bind(agent) ?? ((file: string) => file.endsWith('.jsonl'));
  return { ...walk, files: walk.files.filter(({ file }) => isSession(toContentName(file))) };
}

/** The files in the folders of an agent whose names are those of sessions, and the folders that cannot be read. */
export function walkAgent(io: Surroundings, agent: AgentFormat): Pick<FolderWalk, 'files' | 'unreadable'> {
  const walks = listAgentFolders(io)
    .filter((one) => one.agent === agent)
    .map((one) => walkAgentFolder(io, one));
  return {
    files: walks.flatMap(({ files }) => files),
    unreadable: walks.flatMap(({ unreadable }) => unreadable),
  };
}

/** A file in a folder of an agent. */
export interface AgentFile {
  readonly agent: AgentFormat;
  readonly file: string;
}

/** The files in the folders of all agents whose names are those of sessions. */
export function listAgentFiles(io: Surroundings): readonly AgentFile[] {
  return AGENTS.flatMap((agent) => walkAgent(io, agent).files.map(({ file }) => ({ agent, file })));
}

/** The folder of Pi's sessions, if a name means them. */
export function findPiFolder(io: Surroundings, name: string): string | null {
  return name === PI || name === ALL_AGENTS ? findSessionsFolder(io) : null;
}

/** The number of sessions in the folders of each agent but Pi, the most first; an agent without one is left out. */
export function countAgentSessions(
  io: Surroundings,
): readonly { readonly agent: AgentFormat; readonly sessions: number }[] {
  if (!path.isAbsolute(io.home)) return [];
  return AGENTS.map((agent) => ({ agent, sessions: walkAgent(io, agent).files.length }))
    .filter(({ sessions }) => sessions > 0)
    .toSorted((a, b) => b.sessions - a.sessions);
}
