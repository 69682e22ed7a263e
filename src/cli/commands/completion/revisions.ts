import { visibleLine } from '#base/visible.js';
import { startOf } from '#base/words.js';
import { entryName, entryPreview } from '#context/words/entry-text.js';
import { labelsOf, type Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { activePath, answersRequest, startsTurn } from '#session/tree/tree.js';
import type { CompletionCandidate } from './values.js';

/** The maximum number of turns, requests, labels and entries in a list. */
const MOST = 24;
const LONGEST_ABOUT = 60;

/** Revisions of a session with the typed prefix: names, labels, turns, and entries, the newest ones without a prefix. */
export function revisionsIn(session: Session, typed: string): readonly CompletionCandidate[] {
  const { leaf } = session.tree;
  const path = activePath(session.tree);
  // Turns and requests are offered only after `@{`, since they are many.
  const counted = typed.startsWith('@{')
    ? [
        ...numbered(session, 'turn', path.filter(startsTurn)),
        ...numbered(session, 'request', path.filter(answersRequest)),
      ]
    : [];
  const named: readonly CompletionCandidate[] = [
    ...(leaf ? [{ value: 'HEAD', about: aboutOf(session, leaf) }] : []),
    ...labelled(session),
    ...(path.some(({ type }) => type === 'compaction')
      ? [{ value: '@{compaction}', about: 'the latest compaction' }]
      : []),
  ];
  const known = [...named, ...counted].filter(({ value }) => value.startsWith(typed));
  return [...known, ...entries(session, path, typed)];
}

/** The last ones, by their numbers from the first. */
function numbered(session: Session, kind: string, heads: readonly Head[]): readonly CompletionCandidate[] {
  const first = Math.max(0, heads.length - MOST);
  return heads
    .slice(first)
    .map((head, at) => ({ value: `@{${kind}:${first + at + 1}}`, about: aboutOf(session, head) }));
}

function labelled(session: Session): readonly CompletionCandidate[] {
  const newest = [...labelsOf(session)].slice(-MOST);
  return newest.flatMap(([id, label]) => {
    const head = session.tree.heads.find(id as string);
    return head ? [{ value: label, about: aboutOf(session, head) }] : [];
  });
}

/** An id is typed by its beginning; before that, the newest of the path are offered. */
function entries(session: Session, path: readonly Head[], typed: string): readonly CompletionCandidate[] {
  const found =
    typed === ''
      ? path.slice(-MOST)
      : [...session.tree.heads.withId((id) => typeof id === 'string' && id.startsWith(typed))].slice(-MOST);
  return found.toReversed().flatMap((head) => {
    const value = idText(head.id);
    return value === null || value === undefined ? [] : [{ value, about: aboutOf(session, head) }];
  });
}

function aboutOf(session: Session, head: Head): string {
  const text = visibleLine(`${entryName(head)}  ${entryPreview(session.entry(head))}`);
  return text.length <= LONGEST_ABOUT ? text : `${startOf(text, LONGEST_ABOUT).trimEnd()} …`;
}
