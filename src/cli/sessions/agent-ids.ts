import path from 'node:path';
import { incrementCount } from '#base/maps.js';
import { AGENTS } from '#session/agents/index.js';
import { toContentName } from '#session/scan/compression.js';
import type { Surroundings } from '../surroundings.js';
import { type AgentFile, listAgentFiles, walkAgent } from './agent-folders.js';
import { commonPrefixLength } from './handles.js';
import { listPiSessionFiles } from './pi-files.js';

/** The files of sessions whose id begins with a text, the newest of each. Their paths contain the ids. */
export function findFilesById(io: Surroundings, id: string): readonly string[] {
  const found = listAgentFiles(io).filter((file) => readIds(file).some((one) => isNamed(id, one)));
  return keepNewestOfThreads(found.map(({ file }) => file));
}

/**
 * The session of the agent that runs this command, as the environment names it; null if there is none. Where an agent runs
 * another one, both are named, and the one written last is meant.
 */
export function findRunningAgentSession(io: Surroundings): string | null {
  const running = AGENTS.flatMap((agent) => {
    const { sessionVariable } = agent;
    const id = sessionVariable === undefined ? '' : (io.env[sessionVariable] ?? '');
    if (id === '') return [];
    return walkAgent(io, agent).files.filter(({ file }) => readIds({ agent, file }).includes(id));
  });
  const newest = running.toSorted((a, b) => b.modified - a.modified)[0];
  return newest?.file ?? null;
}

/** The newest file of each thread, by its name. */
function keepNewestOfThreads(files: readonly string[]): readonly string[] {
  const newest = new Map<string, string>();
  for (const file of files) {
    const thread = readThread(file);
    const name = path.basename(file);
    const before = newest.get(thread);
    if (before === undefined || before < name) newest.set(thread, name);
  }
  return files.filter((file) => newest.get(readThread(file)) === path.basename(file));
}

/**
 * The thread of a file of Codex, which has several if it went back to an earlier turn; the file itself for any other.
 */
function readThread(file: string): string {
  return THREAD.exec(toContentName(file))?.[1] ?? file;
}

/** The id of a session by its path, or the name of its file, and the id at its end. */
function readIds({ agent, file }: AgentFile): readonly string[] {
  const plain = toContentName(file);
  const name = agent.findId?.(plain) ?? path.basename(plain).replace(/\.jsonl?$/, '');
  return [name, ...(ID_AT_END.exec(name) ?? []), ...(THREAD.exec(plain)?.slice(1) ?? [])];
}

/**
 * Whether an id that the user names is that of a file, or its beginning. A name may have only the first group of its
 * id.
 */
function isNamed(id: string, ofFile: string): boolean {
  const isFirstGroup = FIRST_GROUP.test(ofFile);
  return ofFile.startsWith(id) || (isFirstGroup && id.startsWith(`${ofFile}-`));
}

const FIRST_GROUP = /^[0-9a-f]{8}$/;
/** A whole id, or the first group of one. */
const ID_AT_END = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|(?<=-)[0-9a-f]{8}$/;
/** `rollout-TIME-THREAD.jsonl`, or `rollout-TIME-THREAD_ROLLOUT.jsonl` since a thread has gone back. */
const THREAD = /rollout-[^/\\]*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[^/\\]*)?\.jsonl$/;

/** An id of a session, and the thread that it names: a file, except for Codex. */
interface ThreadId {
  readonly id: string;
  readonly thread: string;
}

/**
 * The shortest ids that name the sessions in the folders of the agents, by their files, as the commands look them up. A
 * file without such an id is left out.
 */
export function listAgentHandles(io: Surroundings): ReadonlyMap<string, string> {
  const files = listAgentFiles(io);
  const handles = findThreadHandles(listThreadIds(io, files));

  const newest = keepNewestOfThreads(files.map(({ file }) => file));
  const threadCounts = new Map<string, number>();
  for (const file of newest) incrementCount(threadCounts, readThread(file));
  return new Map(
    newest.flatMap((file) => {
      const thread = readThread(file);
      const handle = handles.get(thread);
      // A rollout may be both among the sessions and in the archive.
      return handle !== undefined && threadCounts.get(thread) === 1 ? [[file, handle] as const] : [];
    }),
  );
}

/** The ids of all sessions of Pi and of the other agents, in order. */
function listThreadIds(io: Surroundings, files: readonly AgentFile[]): readonly ThreadId[] {
  const ofAgents = files.flatMap((each) => {
    const thread = readThread(each.file);
    return [...new Set(readIds(each))].map((id) => ({ id, thread }));
  });
  const ofPi = [...listPiSessionFiles(io)].map(({ file, id }) => ({ id, thread: file }));
  return [...ofAgents, ...ofPi].toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
}

/** The shortest id of each thread that names no other one. */
function findThreadHandles(sorted: readonly ThreadId[]): ReadonlyMap<string, string> {
  const shortest = new Map<string, string>();
  for (const [at, { id, thread }] of sorted.entries()) {
    const prefix = NAMEABLE_ID.test(id) ? findShortestPrefix(sorted, at) : null;
    const before = shortest.get(thread);
    if (prefix !== null && (before === undefined || prefix.length < before.length)) shortest.set(thread, prefix);
  }
  return shortest;
}

/** The form of the ids by which sessions of other agents can be named: see `locateSession`. */
const NAMEABLE_ID =
  /^(?:agent-[\w-]{6,}|ses_\w{4,}|\d{13}(?:_\w+)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?)$/;

/** The shortest beginning of an id that no id of another thread has; null if another one has the whole id. */
function findShortestPrefix(sorted: readonly ThreadId[], at: number): string | null {
  const { id = '' } = sorted[at] ?? {};
  const before = findOtherId(sorted, at, -1);
  const after = findOtherId(sorted, at, 1);
  const shared = Math.max(commonPrefixLength(id, before), commonPrefixLength(id, after));
  if (shared === id.length) return null;

  const prefix = id.slice(0, Math.max(findShortestLength(id), shared + 1));
  return prefix.endsWith('-') ? id.slice(0, prefix.length + 1) : prefix;
}

/** The nearest id of another thread, before or after one. */
function findOtherId(sorted: readonly ThreadId[], at: number, step: 1 | -1): string {
  let next = at + step;
  while (sorted[next]?.thread === sorted[at]?.thread) next += step;
  return sorted[next]?.id ?? '';
}

/** The characters of the shortest prefix by which a session can be named. */
const SHORTEST_PREFIX = 8;
/** The ids of subagents are short, and those of Cline begin with a time. */
const SHORTEST_OF_AGENT = 13;
const BEGINS_WITH_TIME = /^\d{13}(?:_|$)/;
/** Eight characters after `ses_`. */
const SHORTEST_OF_OPENCODE = 12;

function findShortestLength(id: string): number {
  if (id.startsWith('agent-') || BEGINS_WITH_TIME.test(id)) return SHORTEST_OF_AGENT;
  return id.startsWith('ses_') ? SHORTEST_OF_OPENCODE : SHORTEST_PREFIX;
}
