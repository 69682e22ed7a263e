import { CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { findNearest } from '#base/suggestion.js';
import { formatId, formatIdWord, type Head } from '../heads/head.js';
import { labelsOf, type Session } from '../session.js';
import { isCompaction } from './compaction.js';
import { activePath, pathTo } from './tree.js';
import { answersRequest, startsTurn } from './turns.js';

const SHORTEST_PREFIX = 4;
const MOST_CANDIDATES = 8;

/**
 * The entry that a revision names, as in git: `HEAD` or `@`, an id or a unique prefix of it, a label,
 * `@{turn:N}`, `@{request:N}`, `@{compaction}`, each followed by any number of `~N` and `^`.
 * null: before the first entry (`HEAD` of an empty session). Throws a CtxError (usage) that lists the candidates.
 */
export function resolveRevision(session: Session, revision: string): Head | null {
  const whole = findExact(session, revision);
  if (whole !== undefined) return whole;
  const { base, steps } = splitSteps(revision);
  const head = resolveBase(session, base, revision);
  return steps === 0 ? head : findAncestor(session, head, steps, revision);
}

/** The entry that a revision names, and the path to it. Throws like `resolveRevision`. */
export function resolvePath(
  session: Session,
  revision = 'HEAD',
): { readonly at: Head | null; readonly path: readonly Head[] } {
  const at = resolveRevision(session, revision);
  return { at, path: at ? pathTo(session.tree, at) : [] };
}

/** The entries of a range: those on the path to `to` and not on the path to `from`; null is before the first entry. */
export interface RevisionRange {
  readonly from: Head | null;
  readonly to: Head | null;
  /** false for a single revision, which has no beginning. */
  readonly isRange: boolean;
}

/**
 * Resolves `A..B`, as in git; an omitted side is `HEAD`, and a single revision is the whole path to it.
 * A name may contain dots itself, so the whole text is tried first. Throws a CtxError (usage) like `resolveRevision`.
 */
export function resolveRange(session: Session, range: string): RevisionRange {
  const whole = findExact(session, range);
  if (whole !== undefined) return { from: null, to: whole, isRange: false };
  const splits = listSplits(range);
  for (const sides of splits) {
    const found = attemptResolve(() => resolveSides(session, sides));
    if (found) return found;
  }
  const aroundDots = range.split('...');
  if (aroundDots.length === 2 && !aroundDots.some((side) => side.includes('..')))
    throw new CtxError('usage', `"${range}" is no range`, { hint: `write two dots: ${aroundDots.join('..')}` });
  // Nothing resolves: the error is that of the sides, unless the text is one revision, such as a name with dots.
  const asRevision = (): RevisionRange => ({ from: null, to: resolveRevision(session, range), isRange: false });
  const [sides] = splits;
  return sides ? (attemptResolve(asRevision) ?? resolveSides(session, sides)) : asRevision();
}

/** All ways to split a text into two revisions. */
function listSplits(range: string): readonly Sides[] {
  const splits: Sides[] = [];
  for (let at = range.indexOf('..'); at !== -1; at = range.indexOf('..', at + 1))
    splits.push({ from: range.slice(0, at), to: range.slice(at + 2) });
  return splits;
}

/** The two revisions of a range as they are written; empty for one that is omitted. */
interface Sides {
  readonly from: string;
  readonly to: string;
}

function resolveSides(session: Session, { from, to }: Sides): RevisionRange {
  return { from: resolveRevision(session, from || 'HEAD'), to: resolveRevision(session, to || 'HEAD'), isRange: true };
}

function attemptResolve(resolve: () => RevisionRange): RevisionRange | null {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'usage') return null;
    throw error;
  }
}

/** Removes `~N` and `^` from the end of a revision, and counts the steps. */
function splitSteps(revision: string): { base: string; steps: number } {
  let end = revision.length;
  let steps = 0;
  for (;;) {
    const [step] = LAST_STEP.exec(revision.slice(Math.max(0, end - LONGEST_STEP), end)) ?? [];
    if (step === undefined) return { base: revision.slice(0, end), steps };
    steps += step.length === 1 ? 1 : Number(step.slice(1));
    end -= step.length;
  }
}

const LAST_STEP = /(?:\^|~\d{0,30})$/;
const LONGEST_STEP = 31;

function findAncestor(session: Session, from: Head | null, steps: number, revision: string): Head | null {
  const path = from ? pathTo(session.tree, from) : [];
  const found = path[path.length - 1 - steps];
  if (!found)
    throw buildUnknownError(
      session,
      revision,
      `${from ? formatIdWord(from.id) : 'it'} has only ${pluralize(Math.max(0, path.length - 1), 'ancestor')}`,
    );
  return found;
}

/** The names without further syntax: a label may contain any character, also `~` and `^`. */
function findExact(session: Session, name: string): Head | null | undefined {
  if (name === 'HEAD' || name === '@') return session.tree.leaf;
  return session.tree.heads.find(name) ?? findLabelled(session, name) ?? findOddId(session, name);
}

/** Ids are strings, but Pi does not validate them: a number is named as it is written. */
function findOddId(session: Session, name: string): Head | undefined {
  const found = session.tree.heads.findByIds((id) => typeof id !== 'string' && formatId(id) === name);
  return [...found].toSorted((a, b) => a.index - b.index).at(-1);
}

function findLabelled(session: Session, label: string): Head | undefined {
  const found = [...labelsOf(session)].flatMap(([id, text]) =>
    text === label ? (session.tree.heads.find(id as string) ?? []) : [],
  );
  if (found.length > 1) throw buildAmbiguousError(label, 'labels', found);
  return found[0];
}

function resolveBase(session: Session, base: string, revision: string): Head | null {
  const exact = findExact(session, base);
  if (exact !== undefined) return exact;
  const [, kind, number] = /^@\{(turn|request|compaction)(?::(-?\d+))?\}$/.exec(base) ?? [];
  if (kind !== undefined) return findOnActivePath(session, kind, number, revision);
  return findByPrefix(session, base, revision);
}

function findByPrefix(session: Session, prefix: string, revision: string): Head {
  if (prefix.length < SHORTEST_PREFIX) {
    throw buildUnknownError(session, revision, `no label or id, and a prefix needs ${SHORTEST_PREFIX} characters`);
  }
  const found = [...session.tree.heads.findByIds((id) => typeof id === 'string' && id.startsWith(prefix))];
  if (found.length > 1) throw buildAmbiguousError(revision, 'ids', found);
  if (!found[0]) throw buildUnknownError(session, revision, 'no entry has this id or label');
  return found[0];
}

/** `@{request:N}` is the entry at which the request was built: the parent of the assistant message that answers it. */
function findOnActivePath(session: Session, kind: string, number: string | undefined, revision: string): Head | null {
  const path = activePath(session.tree);
  if (kind === 'compaction') {
    if (number !== undefined) throw buildUnknownError(session, revision, 'write @{compaction} for the latest one');
    const compaction = path.findLast((head) => isCompaction(session, head));
    if (!compaction) throw buildUnknownError(session, revision, 'the active path has no compaction');
    return compaction;
  }
  if (number === undefined)
    throw buildUnknownError(session, revision, `write @{${kind}:N}; negative numbers count from the end`);
  const counted = kind === 'turn' ? path.filter(startsTurn) : listRequests(path);
  const wanted = Number(number);
  // Positive numbers count from 1, negative ones from the end; the turn or request 0 does not exist.
  const place = wanted > 0 ? wanted - 1 : wanted;
  const found = wanted === 0 ? undefined : counted.at(place);
  if (found === undefined)
    throw buildUnknownError(session, revision, `the active path has ${counted.length} ${kind}s, counted from 1`);
  return found;
}

/** Whether a request of the active path was answered. */
export function hasRequests(session: Session): boolean {
  return activePath(session.tree).some(answersRequest);
}

function listRequests(path: readonly Head[]): readonly (Head | null)[] {
  return path.flatMap((head, at) => (answersRequest(head) ? [path[at - 1] ?? null] : []));
}

function buildAmbiguousError(revision: string, what: string, found: readonly Head[]): CtxError {
  const ids = found.slice(0, MOST_CANDIDATES).map(({ id, line }) => `${formatIdWord(id)} (line ${line})`);
  const more = found.length > ids.length ? `, and ${found.length - ids.length} more` : '';
  return new CtxError('usage', `revision "${revision}" is ambiguous`, {
    where: `${found.length} ${what}`,
    hint: `use one of ${ids.join(', ')}${more}`,
  });
}

function buildUnknownError(session: Session, revision: string, why: string): CtxError {
  const labels = [...new Set(labelsOf(session).values())];
  const { heads } = session.tree;
  const newest = [3, 2, 1].flatMap((back) => {
    const head = heads.at(heads.length - back);
    return head && formatId(head.id) !== null ? formatIdWord(head.id) : [];
  });
  const forms = /^@\{(?!turn|request|compaction)/.test(revision) ? ['@{turn:N}', '@{request:N}', '@{compaction}'] : [];
  const candidates = ['HEAD', ...forms, ...labels.map((label) => JSON.stringify(label)), ...newest].slice(
    0,
    MOST_CANDIDATES,
  );
  const meant = listLikely(revision, labels).map((name) => JSON.stringify(name));
  const hint = meant.length === 0 ? `try ${candidates.join(', ')}` : `did you mean ${meant.join(' or ')}?`;
  return new CtxError('usage', `no revision "${revision}"`, { where: why, hint });
}

/** The revisions that a mistyped one may mean; none if none is close. */
function listLikely(revision: string, labels: readonly string[]): readonly string[] {
  if (revision.length > LONGEST_NAME) return [];
  const { base } = splitSteps(revision);
  // The number is unlikely to be mistyped.
  const [, word, number] = /^(@?\{[a-z]*|turn|request|)[: ]?(-?\d{1,6})\}?$/i.exec(base) ?? [];
  const counted = [`@{request:${number}}`, `@{turn:${number}}`];
  // A number with a leading zero is the beginning of an id.
  if (word === '')
    return base.length < SHORTEST_PREFIX && !base.startsWith('0')
      ? counted.map((name) => name + revision.slice(base.length))
      : [];
  const found =
    word === undefined
      ? findNearest(base, ['HEAD', '@{compaction}', ...labels])
      : findNearest(`${word}:${number}}`, counted);
  return found === null || found === base ? [] : [found + revision.slice(base.length)];
}

const LONGEST_NAME = 60;
