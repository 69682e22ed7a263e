import path from 'node:path';
import { type AgentFolder, listAgentFolders, walkAgentFolder } from '#cli/sessions/agent-folders.js';
import { readAgentHeader } from '#cli/sessions/agent-header.js';
import { isBelow } from '#cli/sessions/folders.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { type NamedFile, peekSessionHeader } from '#cli/sessions/session-files.js';
import { ANY_NAME, type FoundFile } from '#platform/files/walk-folder.js';
import type { Io } from '#platform/io.js';
import { AGENTS, ALL_AGENTS, findAgents } from '#session/agents/index.js';
import { toContentName } from '#session/scan/compression.js';

/** A file to archive. */
export interface SourceFile {
  readonly file: string;
  /** The agent that wrote it, as `--agent` names it. */
  readonly agent: string;
  /** The name in the archive, which stays the same after the agent has moved or compressed the session. */
  readonly name: string;
  /** Whether it is a session, and not only a file that belongs to one. */
  readonly isSession: boolean;
}

export interface Sources {
  readonly files: readonly SourceFile[];
  /** Folders that could not be read. */
  readonly unreadable: readonly string[];
}

/**
 * The sessions in the folders of an agent, or of all, or those that are named, each with what belongs to it. Throws a
 * CtxError: usage for an unknown agent, input for a name without a file.
 */
export async function listSources(io: Io, names: readonly string[], agent: string = ALL_AGENTS): Promise<Sources> {
  const folders = listAgentFolders(io);
  const wanted = agent === ALL_AGENTS || agent === PI ? [agent] : findAgents(agent).map(({ name }) => name);
  const isWanted = (name: string): boolean => agent === ALL_AGENTS || wanted.includes(name);
  const wantedFolders = folders.filter(({ name }) => isWanted(name));
  const found = names.length > 0 ? await listNamed(io, names, folders) : listAll(io, wantedFolders);
  const { files, unreadable } = found;
  const byName = new Map<string, SourceFile>();
  for (const session of files.filter(({ agent: name }) => isWanted(name))) {
    for (const file of [session, ...listSideFiles(io, session, folders)]) {
      // A session may belong to another one too, and counts as a session.
      if (byName.get(file.name)?.isSession !== true) byName.set(file.name, file);
    }
  }
  return { files: [...byName.values()], unreadable };
}

const PI = 'pi';

function listAll(io: Io, folders: readonly AgentFolder[]): Sources {
  const walks = folders.map((folder) => ({ folder, walk: walkAgentFolder(io, folder) }));
  return {
    files: walks.flatMap(({ folder, walk }) => sortOldestFirst(walk.files).map(({ file }) => toSession(file, folder))),
    unreadable: walks.flatMap(({ walk }) => walk.unreadable),
  };
}

/** Sorts files by age: an agent deletes the oldest first. */
function sortOldestFirst(files: readonly FoundFile[]): readonly FoundFile[] {
  return files.toSorted((a, b) => a.modified - b.modified);
}

/** The sessions among the files that are named. Throws a CtxError (input) for a name without a file. */
async function listNamed(io: Io, names: readonly string[], folders: readonly AgentFolder[]): Promise<Sources> {
  const found = await findNamedFiles(io, names);
  // Opening a file that does not exist reports why.
  for (const { file } of found) {
    if (!io.files.exists(file)) (await io.files.open(file)).close();
  }
  const isUnreadable = ({ file, size }: NamedFile): boolean => size === 0 && io.files.walk(file).isFolder;
  const files = found
    .filter((named) => !isUnreadable(named))
    .flatMap((named) => {
      const file = path.resolve(io.cwd || '/', named.file);
      const folder = findFolder(file, folders);
      if (folder) return [toSession(file, folder)];
      const agent = findAgentName(io, named);
      return agent === null ? [] : [{ file, agent, name: nameElsewhere(file), isSession: true }];
    });
  return { files, unreadable: found.filter(isUnreadable).map(({ file }) => file) };
}

/** The agent that wrote a file by its content; null for a file that is no session. */
function findAgentName(io: Io, named: NamedFile): string | null {
  const header = peekSessionHeader(io, named);
  if (header !== 'no-session') return PI;
  return readAgentHeader(io, named)?.agent ?? null;
}

function toSession(file: string, folder: AgentFolder): SourceFile {
  return { file, agent: folder.name, name: nameInFolder(file, folder), isSession: true };
}

/** The folder of an agent that a file is in, the innermost first. */
function findFolder(file: string, folders: readonly AgentFolder[]): AgentFolder | undefined {
  return folders
    .filter(({ folder }) => isBelow(file, path.resolve(folder)))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

function nameInFolder(file: string, { name, agent, folder }: AgentFolder): string {
  const plain = toContentName(file);
  const place = path.join(path.basename(folder), path.relative(path.resolve(folder), path.resolve(plain)));
  return path.join(name, agent?.firstPlace?.(plain) ?? place);
}

/** A file that is in no folder of an agent has the whole of its path as its name. */
function nameElsewhere(file: string): string {
  const { root } = path.parse(file);
  return path.join('elsewhere', root.replaceAll(/[^A-Za-z0-9]/g, ''), path.relative(root, toContentName(file)));
}

/** The files that belong to a session. Links are not followed: a session may come from someone else. */
function listSideFiles(
  io: Io,
  { file, agent: name }: SourceFile,
  folders: readonly AgentFolder[],
): readonly SourceFile[] {
  const agent = AGENTS.find((one) => one.name === name);
  const plain = toContentName(file);
  const sideFolders = agent?.sideFolders?.(plain, io.files.list) ?? (name === PI ? listPiFolders(plain) : []);
  const cwdFile = agent?.cwdFile?.(plain) ?? [];
  return [...sideFolders, cwdFile].flat().flatMap((folder) =>
    io.files.walk(folder, { pattern: ANY_NAME, withoutLinks: true }).files.map(({ file: each }) => {
      const own = findFolder(each, folders);
      const isSession = own !== undefined && own.agent?.isSession(toContentName(each)) === true;
      return { file: each, agent: name, name: own ? nameInFolder(each, own) : nameElsewhere(each), isSession };
    }),
  );
}

/** Forks of Pi have a folder with the sessions of subagents, with the name of the session, which ends in its id. */
function listPiFolders(session: string): readonly string[] {
  return ID_AT_END.test(session) ? [session.replace(/\.jsonl$/, '')] : [];
}

const ID_AT_END = /_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl$/;
