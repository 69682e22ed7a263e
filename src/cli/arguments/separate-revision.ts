import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { openForCommand, withSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { toContentName } from '#session/scan/compression.js';
import { resolveRange } from '#session/tree/revision.js';
import { buildFlagConflictError } from '../commands/assert-flags.js';
import { isPiSessionId, locateSession } from '../locate.js';
import type { CommandCall } from './command-call.js';

/**
 * Separates the session from the revision in a call, as git separates files from revisions: an existing file is a file, a
 * word that looks like a revision belongs to the latest session, and words after `--` are sessions. The revision becomes
 * the value of `--at` if the command has that flag. Throws a CtxError (usage) for a revision together with `--at`.
 */
export async function separateRevision(io: Io, call: CommandCall): Promise<CommandCall> {
  const { command, args, flags } = call;
  const first = findFirstWord(call);
  if (first === null) return call;
  const words = args.slice(first).filter((word) => word !== undefined);
  const before = call.dash === null ? null : call.dash - first;
  const place = await findPlace(io, words, { command, wordsBeforeDash: before });
  if (!place) return call;
  const isGrep = flags.regexp !== undefined;
  const leading = isGrep ? [undefined] : args.slice(0, first);
  if (!Object.hasOwn(command.flags, 'at')) return { ...call, args: [...leading, place.name, place.revision] };
  if (flags.at !== undefined) throw buildFlagConflictError('at', '[rev]');
  return { ...call, args: [...leading, place.name], flags: { ...flags, at: place.revision } };
}

/** The index of the word that names the session; null for a command without a revision argument. */
function findFirstWord({ command: { args, flags }, flags: given }: CommandCall): number | null {
  const session = args.findIndex(({ name }) => name === 'session' || name === 'sessions');
  // The files of ctx check have no revision.
  if (session === -1) return null;
  const takesRevision = args[session + 1]?.isRevision || (args[0]?.isMany && Object.hasOwn(flags, 'at'));
  if (!takesRevision) return null;
  // The flag --regexp replaces the argument for the pattern.
  return args[0]?.name === 'pattern' && given.regexp !== undefined ? session - 1 : session;
}

/** A session, and the entry in it that a revision names. */
interface NamedPlace {
  readonly name: string;
  readonly revision: string;
}

interface WordsOfCall extends Pick<CommandCall, 'command'> {
  /** The number of the words before `--`; null without a `--`. */
  readonly wordsBeforeDash: number | null;
}

/** The session and the revision that words name; null if they name no revision. */
async function findPlace(
  io: Io,
  words: readonly string[],
  { command, wordsBeforeDash: dash }: WordsOfCall,
): Promise<NamedPlace | null> {
  const [first, second] = words;
  if (first === undefined || words.length > 2) return null;
  if (second !== undefined) {
    if (dash === 1) return { name: second, revision: first };
    if (command.args[0]?.isMany && isSession(io, second)) return null;
    if (isPath(io, first) && isPath(io, second)) throw buildTwoSessionsError(first, second);
    return { name: first, revision: second };
  }
  if (dash === 0 || (dash === null && isFile(io, first))) return null;
  const isRevision =
    dash === 1 || LIKE_A_REVISION.test(first) || (!isSession(io, first) && (await isInLatest(io, first)));
  return isRevision ? { name: 'latest', revision: first } : null;
}

/** A label may be the name of a file, but hardly with a folder or the extension of sessions. */
function isPath(io: Io, word: string): boolean {
  return /[/\\]|\.jsonl?$/.test(toContentName(word)) && io.files.exists(word);
}

function buildTwoSessionsError(first: string, second: string): CtxError {
  return new CtxError('usage', 'a revision is expected after the session, and this is a file', {
    where: second,
    hint: `compare the two: ctx diff ${toShellWord(first)} ${toShellWord(second)}`,
  });
}

/** A word with a sign that only revisions have. */
const LIKE_A_REVISION = /^(?:HEAD|@)$|^(?:HEAD|@)[~^.{]|[~^]\d*$|@\{|\.\./;

function isFile(io: Io, word: string): boolean {
  return word === '-' || /^latest(?::|$)|[/\\]|\.jsonl$/.test(word) || io.files.exists(word);
}

/** A prefix of several session ids is no session, so it may be an entry of the latest one. */
function isSession(io: Io, word: string): boolean {
  return isFile(io, word) || isPiSessionId(io, word);
}

/** Whether a word is a label or an id in the latest session, since those can look like anything. */
async function isInLatest(io: Io, word: string): Promise<boolean> {
  try {
    const opening = openForCommand(io, await locateSession(io, 'latest'));
    return await withSession(opening, (session) => resolveRange(session, word).to !== null);
  } catch (error) {
    if (error instanceof CtxError && !error.hint?.startsWith('did you mean')) return false;
    throw error;
  }
}
