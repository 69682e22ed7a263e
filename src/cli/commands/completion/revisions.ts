import { CtxError } from '#base/errors.js';
import { sliceStart } from '#base/text.js';
import { toVisibleLine } from '#base/visible.js';
import { locateSession } from '#cli/locate.js';
import { openForCommand, withSession } from '#context/open.js';
import { describeEntry, nameEntry } from '#context/words/entry-text.js';
import type { Io } from '#platform/io.js';
import { formatId, type Head } from '#session/heads/head.js';
import { labelsOf, type Session } from '#session/session.js';
import { isCompaction } from '#session/tree/compaction.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import type { CompletionCandidate } from './candidates.js';

/** Offers revisions; none of a file that cannot be read, or of standard input, which is empty while a line is typed. */
export async function completeRevisions(
  io: Io,
  session: string,
  typed: string,
): Promise<readonly CompletionCandidate[]> {
  if (session === '-') return [];
  try {
    const file = await locateSession(io, session);
    return await withSession(openForCommand(io, file), (opened) => listRevisions(opened, typed));
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

/** The maximum number of turns, requests, labels and entries in a list. */
const MOST_REVISIONS = 24;
/** The most characters of a description. */
const LONGEST_ABOUT = 60;

/**
 * Revisions of a session with the typed prefix: names, labels, turns, and entries, the newest ones without a prefix.
 */
function listRevisions(session: Session, typed: string): readonly CompletionCandidate[] {
  const { leaf } = session.tree;
  const path = activePath(session.tree);
  // Turns and requests are offered only after `@{`, since they are many.
  const counted = typed.startsWith('@{')
    ? [
        ...listNumbered(session, 'turn', path.filter(startsTurn)),
        ...listNumbered(session, 'request', path.filter(answersRequest)),
      ]
    : [];
  const named: CompletionCandidate[] = [];
  if (leaf) named.push({ value: 'HEAD', about: describeHead(session, leaf) });
  named.push(...listLabels(session));
  if (path.some((head) => isCompaction(session, head)))
    named.push({ value: '@{compaction}', about: 'the latest compaction' });
  const matching = [...named, ...counted].filter(({ value }) => value.startsWith(typed));
  return [...matching, ...listEntries(session, path, typed)];
}

/** The last ones, by their numbers from the first. */
function listNumbered(session: Session, kind: string, heads: readonly Head[]): readonly CompletionCandidate[] {
  const first = Math.max(0, heads.length - MOST_REVISIONS);
  return heads
    .slice(first)
    .map((head, at) => ({ value: `@{${kind}:${first + at + 1}}`, about: describeHead(session, head) }));
}

function listLabels(session: Session): readonly CompletionCandidate[] {
  const newest = [...labelsOf(session)].slice(-MOST_REVISIONS);
  return newest.flatMap(([id, label]) => {
    const head = session.tree.heads.find(id as string);
    return head ? [{ value: label, about: describeHead(session, head) }] : [];
  });
}

/** Lists the entries whose ids begin with the typed text; without one, the newest entries of the path. */
function listEntries(session: Session, path: readonly Head[], typed: string): readonly CompletionCandidate[] {
  const { heads } = session.tree;
  const found = typed === '' ? path : [...heads.findByIds((id) => typeof id === 'string' && id.startsWith(typed))];
  const newest = found.slice(-MOST_REVISIONS);
  return newest.toReversed().flatMap((head) => {
    const value = formatId(head.id);
    return value === null || value === undefined ? [] : [{ value, about: describeHead(session, head) }];
  });
}

function describeHead(session: Session, head: Head): string {
  const text = toVisibleLine(`${nameEntry(head, session)}  ${describeEntry(session.entry(head))}`);
  return text.length <= LONGEST_ABOUT ? text : `${sliceStart(text, LONGEST_ABOUT).trimEnd()} …`;
}
