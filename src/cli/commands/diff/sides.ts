import { CtxError } from '#base/errors.js';
import { foundSession, locateSession } from '#cli/locate.js';
import type { Io } from '#platform/io.js';

/** One side of a comparison: a session file, and a revision in it. */
interface Side {
  readonly file: string;
  /** null: none is named, which means the newest request that was answered. */
  readonly revision: string | null;
}

/** Two revisions of one session may also be written as one range. */
export type Sides =
  | { readonly kind: 'two'; readonly before: Side; readonly after: Side }
  | { readonly kind: 'range'; readonly file: string; readonly range: string };

/** The default right side: the context that the next request would send. */
const AFTER = 'HEAD';

/**
 * Parses the arguments of `ctx diff`: `[SESSION] [A] [B]`, `[SESSION] A..B`, or two sessions, each with an optional
 * revision after an `@`. Throws a CtxError (usage) for too many arguments.
 */
export function sidesOf(io: Io, args: readonly string[]): Sides {
  const [first, ...others] = args;
  const named = first === undefined ? null : sessionIn(io, first);
  // A file with a revision is a side by itself, a file alone is what the revisions are of.
  const isSide = named !== null && (named.revision !== null || others.some((arg) => sessionIn(io, arg)));
  const file = named && !isSide ? named.file : locateSession(io, isSide ? (named?.file ?? '') : 'latest');
  const revisions = named && !isSide ? others : args;
  const [a, b, ...more] = revisions;
  if (more.length > 0) throw tooMany(more[0] ?? '');
  if (a !== undefined && b === undefined && a.includes('..') && !sessionIn(io, a))
    return { kind: 'range', file, range: a };
  const sideOf = (arg: string): Side => {
    const session = sessionIn(io, arg);
    return session ? { file: session.file, revision: session.revision ?? AFTER } : { file, revision: arg };
  };
  return {
    kind: 'two',
    before: a === undefined ? { file, revision: null } : sideOf(a),
    after: b === undefined ? { file: a === undefined ? file : sideOf(a).file, revision: AFTER } : sideOf(b),
  };
}

/** `FILE`, `FILE@REV`, or the same with a session's id or `latest`; null for what names no session. */
function sessionIn(io: Io, arg: string): Side | null {
  if (isSession(io, arg)) return { file: locateSession(io, arg), revision: null };
  for (let at = arg.indexOf('@', 1); at !== -1; at = arg.indexOf('@', at + 1)) {
    const name = arg.slice(0, at);
    if (!isSession(io, name)) continue;
    const rest = arg.slice(at + 1);
    // `FILE@{turn:2}` needs no second `@`.
    return { file: locateSession(io, name), revision: rest.startsWith('{') ? `@${rest}` : rest };
  }
  return null;
}

function isSession(io: Io, name: string): boolean {
  if (name === '-' || name === 'latest' || name.endsWith('.jsonl')) return true;
  if (name === '' || name.startsWith('@') || name === AFTER) return false;
  const file = foundSession(io, name);
  return file !== null && io.files.exists(file);
}

function tooMany(arg: string): CtxError {
  return new CtxError('usage', `one argument too many: "${arg}"`, {
    hint: 'name a session and two revisions, or two sessions as FILE@REV',
  });
}
