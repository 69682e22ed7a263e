import path from 'node:path';
import { listEntryTexts } from '#analysis/search/entry-texts.js';
import { buildSnippet, type Snippet } from '#analysis/search/snippet.js';
import type { FoundEntry } from '#analysis/search/word-index.js';
import { toPatterns, type WordQuery } from '#analysis/search/word-query.js';
import { toShellWord } from '#base/shell.js';
import { formatTime } from '#base/time.js';
import { findCopier } from '#change/copy/copy-draft.js';
import { formatResumeLine } from '#cli/resume-command.js';
import { listAgentFolders } from '#cli/sessions/agent-files.js';
import { formatFolder, isBelow } from '#cli/sessions/folders.js';
import type { FindHandle } from '#cli/sessions/handles.js';
import { openForCommand, type OpenSession, withSession } from '#context/open.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Io } from '#platform/io.js';
import { contentName } from '#session/scan/compression.js';
import type { FoundEntryLine } from './document.js';

/** A session in which something was found, as it is printed. */
export interface FoundSession {
  readonly file: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly title: string;
  readonly cwd: string | null;
  /** The working directory with `~` for the home folder; empty if it is not recorded. */
  readonly folder: string;
  readonly entries: readonly ShownEntry[];
  /** The number of further entries that match. */
  readonly more: number;
  /** The command line that goes on with it; null if none is known. */
  readonly resume: string | null;
}

/** An entry that was found, with a piece of its text. */
export interface ShownEntry {
  readonly found: FoundEntry;
  readonly snippet: Snippet | null;
  /** The command line that shows it. */
  readonly open: string;
}

const MOST_ENTRIES = 3;

/** Reads what is printed of the best entries of a session. `file`: its name, as the user or a listing gives it. */
export async function readFoundSession(
  io: Io,
  [first, ...others]: readonly [FoundEntry, ...FoundEntry[]],
  { file, query, toHandle }: { readonly file: string; readonly query: WordQuery; readonly toHandle: FindHandle },
): Promise<FoundSession> {
  const { sessionId, agent, cwd } = first;
  const handle = toHandle(file);
  const shown = [first, ...others].slice(0, MOST_ENTRIES);
  return withSession(openForCommand(io, file), (session) => ({
    file,
    sessionId,
    agent: agent ?? 'pi',
    title: findSessionTitle(session),
    cwd,
    folder: formatFolder(io, cwd),
    entries: shown.map((found) => ({
      found,
      snippet: findSnippet(session, found, query),
      open: `ctx show ${handle} ${found.entryId === null ? 'HEAD' : toShellWord(found.entryId)}`,
    })),
    more: others.length + 1 - shown.length,
    resume: describeResume(io, session),
  }));
}

/** The best piece of an entry, which may have changed since it was read. */
function findSnippet({ tree, entry }: OpenSession, { index }: FoundEntry, query: WordQuery): Snippet | null {
  const head = tree.heads.at(index);
  if (!head) return null;
  const patterns = toPatterns(query);
  let best: Snippet | null = null;
  for (const { text } of listEntryTexts(entry(head))) {
    const snippet = buildSnippet(text, patterns);
    if (snippet && snippet.patterns > (best?.patterns ?? 0)) best = snippet;
  }
  return best;
}

/** The command line that goes on with a session; null for one that its agent does not open by itself. */
function describeResume(io: Io, session: OpenSession): string | null {
  const { agent, header, file } = session;
  const copier = findCopier(session);
  const isCompressed = contentName(file) !== file;
  if (isCompressed || agent?.isSubagent || (agent && !copier)) return null;
  const place = path.resolve(io.cwd || '/', file);
  const isInstalled = listAgentFolders(io).some(({ folder }) => isBelow(place, path.resolve(folder)));
  return formatResumeLine(io, copier, { sessionId: header.id, file, cwd: header.cwd, isInstalled });
}

/** The lines of JSON of a session. */
export function toLines({ sessionId, agent, title, cwd, file, entries, resume }: FoundSession): FoundEntryLine[] {
  return entries.map(({ found, snippet, open }) => ({
    schema: 'ctx/found-entry',
    schemaVersion: 1,
    file,
    sessionId,
    agent,
    title,
    cwd,
    entryId: found.entryId,
    line: found.line,
    time: formatTime(found.time),
    name: found.name,
    place: found.place,
    snippet: snippet?.text ?? null,
    matches: [...(snippet?.matches ?? [])],
    score: found.score,
    open,
    resume,
  }));
}
