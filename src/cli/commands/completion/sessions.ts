import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { toVisibleLine } from '#base/visible.js';
import { createPiHandles } from '#cli/sessions/handles.js';
import { listPiSessionFiles } from '#cli/sessions/pi-files.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Io } from '#platform/io.js';
import { readSession } from '#session/read-session.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { completeEnd, completeNames, type CompletionCandidate } from './candidates.js';

/** The number of sessions, newest first, that are opened for their titles. */
const MOST_SESSIONS = 40;
/** The bytes of a beginning with the header and the first messages. A short session is in them whole. */
const BEGINNING_BYTES = 65_536;

const OF_AGENT = /^(?:latest|all):/;

/** Offers sessions of Pi, or after `latest:` and `all:` the agents. */
export async function completeSessions(io: Io, typed: string): Promise<readonly CompletionCandidate[]> {
  return OF_AGENT.test(typed) ? completeEnd(OF_AGENT, typed, completeAgents) : completePiSessions(io, typed);
}

/**
 * Sessions of Pi's folder, the newest first: those whose id begins with the typed text, or, without any, those whose
 * name contains it.
 */
function completePiSessions(io: Io, typed: string): readonly CompletionCandidate[] {
  // The name of a file begins with the time at which the session began.
  const all = [...listPiSessionFiles(io)].toSorted((a, b) => (path.basename(a.file) < path.basename(b.file) ? 1 : -1));
  const findHandle = createPiHandles(io);
  const toCandidate = ({ file, id }: (typeof all)[number]): CompletionCandidate => {
    const handle = findHandle(file);
    // A typed prefix that is longer than the handle is completed to the whole id.
    return { value: id.startsWith(typed) && !handle.startsWith(typed) ? id : handle, about: readTitle(io, file) };
  };
  const latest = all.length > 0 && 'latest'.startsWith(typed) ? [LATEST] : [];
  const byId = all.filter(({ id }) => id.startsWith(typed)).slice(0, MOST_SESSIONS);
  if (byId.length > 0 || latest.length > 0) return [...latest, ...byId.map(toCandidate)];
  const wanted = typed.toLowerCase();
  return all
    .slice(0, MOST_SESSIONS)
    .map(toCandidate)
    .filter(({ about }) => about.toLowerCase().includes(wanted));
}

const LATEST: CompletionCandidate = { value: 'latest', about: 'the session that was written last' };

/** Finds the title of a session in its first bytes. */
function readTitle({ files }: Io, file: string): string {
  const bytes = files.beginning(file, BEGINNING_BYTES);
  try {
    return toVisibleLine(findSessionTitle(readSession(toByteSource(bytes), file)));
  } catch (error) {
    if (error instanceof CtxError) return '';
    throw error;
  }
}

export async function completeAgents(typed: string): Promise<readonly CompletionCandidate[]> {
  const { listAgentNames } = await import('#session/agents/index.js');
  return completeNames(typed, listAgentNames());
}
