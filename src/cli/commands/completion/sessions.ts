import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { visibleLine } from '#base/visible.js';
import { sessionFiles } from '#cli/locate.js';
import { handlesFrom } from '#cli/sessions/handles.js';
import { titleOf } from '#context/words/title.js';
import type { Io } from '#platform/io.js';
import { bytesIn } from '#session/scan/bytes.js';
import { readSession } from '#session/session.js';
import type { Candidate } from './values.js';

/** So many of the newest sessions are looked into for what they are called. */
const MOST = 40;
/** That holds the header and the first messages, and of a short session all of it. */
const BEGINNING_BYTES = 65_536;

/**
 * Sessions of Pi's folder, the newest first: those whose id begins with what is typed; where there is none, those in
 * whose name it occurs.
 */
export function sessionsNamed(io: Io, typed: string): readonly Candidate[] {
  // A file's name begins with when the session began.
  const all = [...sessionFiles(io)].toSorted((a, b) => (path.basename(a.file) < path.basename(b.file) ? 1 : -1));
  const handleOf = handlesFrom(io);
  const candidateOf = ({ file, id }: (typeof all)[number]): Candidate => {
    const handle = handleOf(file);
    // Who has typed more of the id than is needed goes on with it.
    return { value: id.startsWith(typed) && !handle.startsWith(typed) ? id : handle, about: nameIn(io, file) };
  };
  const latest = all.length > 0 && 'latest'.startsWith(typed) ? [LATEST] : [];
  const byId = all.filter(({ id }) => id.startsWith(typed)).slice(0, MOST);
  if (byId.length > 0 || latest.length > 0) return [...latest, ...byId.map(candidateOf)];
  const wanted = typed.toLowerCase();
  return all
    .slice(0, MOST)
    .map(candidateOf)
    .filter(({ about }) => about.toLowerCase().includes(wanted));
}

const LATEST: Candidate = { value: 'latest', about: 'the session that was written last' };

/** What a session is called, as far as its beginning tells. */
function nameIn({ files }: Io, file: string): string {
  const bytes = files.beginning(file, BEGINNING_BYTES);
  try {
    return visibleLine(titleOf(readSession(bytesIn(bytes), file)));
  } catch (error) {
    if (error instanceof CtxError) return '';
    throw error;
  }
}
