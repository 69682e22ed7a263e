import { listEntryTexts } from '#analysis/search/entry-texts.js';
import { buildSnippet, type Snippet } from '#analysis/search/snippet.js';
import type { FoundEntry } from '#analysis/search/word-index.js';
import { toPatterns, type WordQuery } from '#analysis/search/word-query.js';
import { toShellWord } from '#base/shell.js';
import { formatTime } from '#base/time.js';
import { findResumeLine } from '#cli/resume-command.js';
import { formatFolder } from '#cli/sessions/folders.js';
import type { FindHandle } from '#cli/sessions/handles.js';
import { openForCommand, type OpenSession, withSession } from '#context/open.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Io } from '#platform/io.js';
import { isOfCompaction } from '#session/tree/compaction.js';
import type { FoundEntryLine } from './document.js';
import type { SessionEntries } from './search-index.js';

/** A session in which something was found, as it is printed. */
export interface SessionWithMatches {
  readonly file: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly title: string;
  readonly cwd: string | null;
  /** The working directory with `~` for the home folder; empty if it is not recorded. */
  readonly folder: string;
  readonly entries: readonly ShownEntry[];
  /** The sessions with copies of its entries, as they are named on a command line. */
  readonly copies: readonly string[];
  /** The number of further entries that match. */
  readonly more: number;
  /** The command line that goes on with it; null if none is known. */
  readonly resume: string | null;
}

/** An entry that was found, with a piece of its text. */
export interface ShownEntry {
  readonly found: FoundEntry;
  /** The name of the session, in the words of the agent that wrote it. */
  readonly name: string;
  readonly snippet: Snippet | null;
  /** The files of other sessions with a copy of it. */
  readonly copies: readonly string[];
  /** The command line that shows it. */
  readonly open: string;
}

const MOST_ENTRIES = 3;

/** How the entries of a session are named and searched. */
interface Reading {
  /** The name of a file, as the user or a listing gives it. */
  nameOf(path: string): string;
  readonly query: WordQuery;
  readonly toHandle: FindHandle;
}

/** Reads what is printed of the best entries of a session. */
export async function readFoundSession(
  io: Io,
  [first, ...others]: SessionEntries,
  { nameOf, query, toHandle }: Reading,
): Promise<SessionWithMatches> {
  const { sessionId, agent, cwd, path } = first.found;
  const file = nameOf(path);
  const handle = toHandle(file);
  const shown = [first, ...others].slice(0, MOST_ENTRIES);
  const copied = new Set([first, ...others].flatMap(({ copies }) => copies));
  return withSession(openForCommand(io, file), (session) => ({
    file,
    sessionId,
    agent: agent ?? 'pi',
    title: findSessionTitle(session),
    cwd,
    folder: formatFolder(io, cwd),
    copies: [...copied].map((copy) => toHandle(nameOf(copy))),
    entries: shown.map(({ found, copies }) => ({
      found,
      name: nameEntry(session, found),
      copies: copies.map(nameOf),
      snippet: findSnippet(session, found, query),
      open: `ctx show ${handle} ${found.entryId === null ? 'HEAD' : toShellWord(found.entryId)}`,
    })),
    more: others.length + 1 - shown.length,
    resume: findResumeLine(io, session),
  }));
}

/**
 * The name of an entry. Agents other than Pi write no transforms: these are their compactions, and what they put in.
 */
function nameEntry(session: OpenSession, { index, name }: FoundEntry): string {
  const head = session.tree.heads.at(index);
  if (!session.agent || head?.type !== 'context_transform') return name;
  return isOfCompaction(session, head) ? 'compaction' : `put in by ${session.agent.title}`;
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

/** The lines of JSON of a session. */
export function toLines({ sessionId, agent, title, cwd, file, entries, resume }: SessionWithMatches): FoundEntryLine[] {
  return entries.map(({ found, snippet, copies, open }) => ({
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
    copies: [...copies],
    score: found.score,
    open,
    resume,
  }));
}
