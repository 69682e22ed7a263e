import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { findSessionsFolder } from '#session/agents/pi-folders.js';
import { toContentName } from '#session/scan/compression.js';
import { findLatest, findLatestHere, requirePiFolder, sortNewestFirst } from './latest.js';
import { listPiSessionFiles, readIdInName, type SessionFile } from './sessions/pi-files.js';
import type { Surroundings } from './surroundings.js';

const MOST_CANDIDATES = 5;

/**
 * The file that a user means: a path, `-`, `latest`, `latest:AGENT`, or a session id or a unique prefix of it. In a command
 * that Pi, Claude Code or Codex runs, `latest` is the running session, otherwise see `findLatest`. Ids are looked up in the
 * session folder of Pi, and after that in those of other agents. Throws a CtxError (input) that lists the candidates.
 */
export async function locateSession(io: Surroundings, name: string): Promise<string> {
  if (name === '-' || io.files.exists(name)) return name;
  if (name === 'latest') return findLatest(io);
  if (name.startsWith(OF_AGENT)) {
    const { findLatestOfAgent } = await import('./sessions/newest-session.js');
    return findLatestOfAgent(io, name.slice(OF_AGENT.length));
  }
  if (/[/\\]/.test(name)) return name;
  if (toContentName(name).endsWith('.jsonl')) return (await findByFileName(io, name)) ?? name;
  const where = requirePiFolder(io);
  const file = await findById(io, name);
  if (file !== null) return file;
  if (OF_MANY.test(name)) throw await buildManySessionsError(name);
  const id = /^[0-9a-f]{1,7}$/.test(name) ? 'eight characters of an id of another agent' : '"latest", or an id';
  const hint = `name a file, ${id}: ctx ls lists those of Pi, ctx ls --agent all those of all agents`;
  throw new CtxError('input', `no file and no session id "${name}"`, { where, hint });
}

/** Finds a session as `locateSession` does; null for a name without a session. */
export async function findSession(io: Surroundings, name: string): Promise<string | null> {
  try {
    return await locateSession(io, name);
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}

const OF_AGENT = 'latest:';
/** The names by which other commands take the sessions of all agents, or of one. */
const OF_MANY = /^all(?::|$)/;
/** Ids of Claude Code, Codex, Gemini CLI, opencode and Cline, or at least eight characters of one. */
const AGENT_ID = /^(?:agent-[\w-]{6,}|ses_\w{4,}|\d{13}(?:_\w*)?|[0-9a-f]{8}(?:-[0-9a-f]*){0,4})$/;

/** Tests whether a word is the id of one session of Pi, or a prefix of it. */
export function isPiSessionId(io: Surroundings, word: string): boolean {
  const [first, ...others] = listPiMatches(io, word);
  return first !== undefined && others.length === 0;
}

/** The error for a name of many sessions. Throws a CtxError (usage) for an unknown agent. */
async function buildManySessionsError(name: string): Promise<CtxError> {
  const agent = name.slice('all:'.length) || 'all';
  // Throws if the agent is unknown.
  if (agent !== 'pi') (await import('#session/agents/index.js')).findAgents(agent, name);
  const hint = `name one, such as latest or latest:${agent}`;
  return new CtxError('usage', `"${name}" means many sessions, and this command takes one`, { hint });
}

/**
 * The session of any agent that an id or a prefix names; null if there is none. A whole id of a session of Pi means that one,
 * without a search in the folders of other agents.
 */
async function findById(io: Surroundings, name: string): Promise<string | null> {
  const ofPi = findPiSession(io, name);
  if (!AGENT_ID.test(name) || (ofPi !== null && readIdInName(ofPi) === name)) return ofPi;
  const ofAgent = await findAgentSession(io, name);
  if (ofPi === null || ofAgent === null) return ofPi ?? ofAgent;
  throw new CtxError('input', `session id "${name}" is ambiguous`, { hint: `name a file: ${ofPi}, or ${ofAgent}` });
}

/** The session whose file has this name, in the folder of any agent: long paths are printed with their name first. */
async function findByFileName(io: Surroundings, name: string): Promise<string | null> {
  const ofPi = findSessionsFolder(io) === null ? [] : listPiSessionFiles(io);
  const { listAgentFiles } = await import('./sessions/agent-folders.js');
  const files = [...ofPi, ...listAgentFiles(io)].map(({ file: one }) => one);
  const [file, ...others] = files.filter((one) => path.basename(one) === name);
  return others.length === 0 ? (file ?? null) : null;
}

/** The session of Pi that an id or a prefix names; null if there is none. */
function findPiSession(io: Surroundings, name: string): string | null {
  const candidates = listPiMatches(io, name);
  if (candidates.length < 2) return candidates[0]?.file ?? null;
  const ids = candidates.slice(0, MOST_CANDIDATES).map(({ id }) => id);
  const more = candidates.length > ids.length ? `, and ${candidates.length - ids.length} more` : '';
  const hint = `name one of ${candidates.length}: ${ids.join(', ')}${more}`;
  throw new CtxError('input', `session id "${name}" is ambiguous`, { where: requirePiFolder(io), hint });
}

/** The session with this id, or else those whose ids begin with it. */
function listPiMatches(io: Surroundings, name: string): readonly SessionFile[] {
  const all = name === '' ? [] : [...listPiSessionFiles(io)];
  const found = all.filter(({ id }) => id === name);
  return found.length > 0 ? found : all.filter(({ id }) => id.startsWith(name));
}

async function findAgentSession(io: Surroundings, name: string): Promise<string | null> {
  // Loaded for a name that is no session of Pi, which few calls have.
  const { findFilesById } = await import('./sessions/agent-ids.js');
  const [file, ...others] = findFilesById(io, name);
  if (others.length === 0) return file ?? null;
  throw new CtxError('input', `session id "${name}" is ambiguous`, { hint: `name a file, such as ${file}` });
}

/**
 * The session that a command writes to, or whose copy it writes: the named one, else the latest one of the working
 * directory, of any agent. Throws a CtxError: usage if neither exists, input if there is no session at all, else like
 * `locateSession`.
 */
export async function locateToWrite(io: Surroundings, name: string | undefined): Promise<string> {
  if (name !== undefined) return locateSession(io, name);
  const here = await findLatestHere(io);
  if (here !== null) return here;
  // Throws if there is none at all.
  await findLatest(io);
  const candidates = sortNewestFirst(io, [...listPiSessionFiles(io)]).slice(0, MOST_CANDIDATES);
  throw new CtxError('usage', 'the current folder has no session; one of another folder has to be named', {
    where: io.cwd,
    hint: candidates.length > 0 ? nameCandidates(candidates) : await suggestOtherAgent(io),
  });
}

function nameCandidates([newest, ...others]: readonly SessionFile[]): string {
  const latest = `latest (${newest?.id}, in ${path.dirname(newest?.file ?? '')})`;
  return `name a file, or one of: ${[latest, ...others.map(({ id }) => id)].join(', ')}`;
}

/** How to name a session where Pi has none: by the agent that has the most. */
async function suggestOtherAgent(io: Surroundings): Promise<string> {
  const [most] = (await import('./sessions/agent-folders.js')).countAgentSessions(io);
  if (!most) return 'name a session file';
  return `name a session, such as latest:${most.agent.name} for the newest of ${most.agent.title}`;
}
