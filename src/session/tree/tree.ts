import type { Problem } from '#base/errors.js';
import { findFirstPast } from '#base/lists.js';
import { formatId, type Head, quoteId } from '../heads/head.js';
import type { Heads } from '../heads/heads.js';
import type { Session } from '../session.js';

/** The entries of a session by id. Several roots are normal, and so are children that precede their parent. */
export interface Tree {
  readonly heads: Heads;
  /** The active leaf: the last entry of the file, of any type. null: nothing is active. */
  readonly leaf: Head | null;
}

export function buildTree(heads: Heads): Tree {
  const last = heads.last ?? null;
  // Pi reads an id that is null as "before the first entry".
  return { heads, leaf: last?.id === null ? null : last };
}

/** The entries from the root to `head`. Ends at a missing parent, and cuts a cycle where it would repeat. */
export function pathTo({ heads }: Tree, head: Head): readonly Head[] {
  return [...heads.ancestorsOf(head.index), head];
}

/** The entries from the root to the active leaf; none if nothing is active. */
export function activePath(tree: Tree): readonly Head[] {
  return tree.leaf ? pathTo(tree, tree.leaf) : [];
}

/** Pi follows any parent id that is truthy and known; every other entry is a root. */
export function parentOf({ heads }: Tree, head: Head): Head | undefined {
  return heads.at(heads.parentAt(head.index));
}

/** Problems between entries: repeated ids, missing parents, cycles, and missing targets. */
export function listTreeProblems(tree: Tree, sessionId: string): Problem[] {
  const { heads } = tree;
  const ofLinks = [...heads.listSuspects([...DANGLING.keys()])].flatMap((head) => [
    ...problemsOfLinks(heads, head, sessionId),
  ]);
  return [...ofLinks, ...cycleProblems(tree)].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** For each type of entries that name another one: the problem of a target that is not in the file, and its words. */
const DANGLING: ReadonlyMap<string, readonly [code: string, named: string, lost: (id: string) => string]> = new Map([
  ['label', ['dangling-label', 'its entry', (id) => `it labels ${id}, which`]],
  ['context_edit', ['dangling-edit', 'its entry', (id) => `it edits ${id}, which`]],
  [
    'compaction',
    ['dangling-compaction', 'the first entry that it keeps', (id) => `the first entry that it keeps, ${id},`],
  ],
]);

function* problemsOfLinks(heads: Heads, head: Head, sessionId: string): Generator<Problem> {
  const { id, parentId, type, target, index } = head;
  const resolved = heads.entryOfIdAt(index);
  if (id !== undefined && resolved !== index) {
    const line = heads.at(resolved)?.line;
    yield problemAt(head, 'duplicate-id', 'error', `line ${line} has the same id and hides this entry`);
  }
  // Some programs name the header as the parent of the first entry, which is a root as well.
  if (parentId && parentId !== sessionId && !heads.has(parentId)) {
    const message = `its parent ${quoteId(parentId)} is not in the file, so the path begins here`;
    yield problemAt(head, 'orphan', 'error', message);
  }
  const dangling = DANGLING.get(type ?? '');
  const namesNothing = type === 'label' && target === undefined;
  if (!dangling || (heads.has(target) && !namesNothing)) return;
  const [code, named, lost] = dangling;
  const message = target === undefined ? `it does not name ${named}` : `${lost(quoteId(target))} is not in the file`;
  yield problemAt(head, code, 'warning', message);
}

/** One problem for each cycle, at its last entry in the file. */
function* cycleProblems({ heads }: Tree): Generator<Problem> {
  /** The walk in which an entry was first met, from 1. */
  const { length } = heads;
  if (heads.areParentsAbove()) return;
  const walkOf = new Uint32Array(length);
  for (let start = 0; start < length; start += 1) {
    const walk = start + 1;
    let next = start;
    for (; next !== -1 && walkOf[next] === 0; next = heads.parentAt(next)) walkOf[next] = walk;
    if (next !== -1 && walkOf[next] === walk) yield* problemOfCycle(heads, next);
  }
}

function* problemOfCycle(heads: Heads, start: number): Generator<Problem> {
  let last = start;
  let size = 1;
  for (let next = heads.parentAt(start); next !== start; next = heads.parentAt(next)) {
    last = Math.max(last, next);
    size += 1;
  }
  const way = size === 1 ? 'it is its own parent' : `its parents form a cycle of ${size} entries`;
  const head = heads.at(last);
  if (head) yield problemAt(head, 'cycle', 'error', `${way}; the path is cut here, where Pi would run out of memory`);
}

function problemAt(head: Head, code: string, severity: Problem['severity'], message: string): Problem {
  const { line, offset, length } = head;
  return { code, severity, message, line, entryId: formatId(head.id), offset, length };
}

/** The entry at a line. Entries are in the order of their lines. `entryId`: for another agent's line with several. */
export function findHeadAtLine(
  { agent, tree: { heads } }: Session,
  line: number,
  entryId: string | null = null,
): Head | undefined {
  if (agent && entryId !== null) return heads.find(entryId);
  const head = heads.at(findFirstPast(heads.length, (at) => heads.lineAt(at) >= line));
  return head?.line === line ? head : undefined;
}

const USER_LIKE_ROLES: ReadonlySet<string> = new Set([
  'user',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
]);

/**
 * A turn starts at every user-like message (Pi's rule since 0.80) and runs to the next one. What another agent adds to
 * the input by itself, such as an attachment, belongs to the turn that it is in.
 */
export function startsTurn(head: Head): boolean {
  if (head.type === 'custom_message') return !head.isAdded;
  // A message is never a branch summary.
  return head.role === null ? head.hasSummary : USER_LIKE_ROLES.has(head.role);
}

/**
 * Every answer of a provider answers one request, failed ones included. An answer that the program wrote itself answers
 * none: see `isLocalAnswer`.
 */
export function answersRequest(head: Pick<Head, 'role' | 'isAdded'>): boolean {
  return head.role === 'assistant' && !head.isAdded;
}

/**
 * The last result of the calls of an answer on a path of entry indexes, which nothing may come between; the entry
 * itself if it has none, or is not on the path.
 */
export function findLastResult(heads: Heads, path: readonly number[] | Uint32Array, index: number): number {
  const at = path.indexOf(index);
  if (at < 0 || !PAIRED.has(heads.roleAt(index))) return index;
  let last = index;
  for (const next of path.slice(at + 1)) {
    const role = heads.roleAt(next);
    if (role === 'toolResult') last = next;
    else if (role !== null) break;
  }
  return last;
}

const PAIRED: ReadonlySet<string | null> = new Set(['assistant', 'toolResult']);

/** The number of started turns and answered requests on a path. */
export function countTurns(path: readonly Head[]): { turns: number; requests: number } {
  let turns = 0;
  let requests = 0;
  for (const head of path) {
    if (startsTurn(head)) turns += 1;
    if (answersRequest(head)) requests += 1;
  }
  return { turns, requests };
}

/** Whether an entry compacts the context: a compaction, or a transform of this name, which a compaction after it repeats. */
export function isCompaction(session: Session, head: Head | undefined): boolean {
  const { heads } = session.tree;
  if (head?.type !== 'compaction') return isTransform(session, head);
  return !isTransform(session, heads.at(heads.parentAt(head.index)));
}

function isTransform(session: Session, head: Head | undefined): boolean {
  return head?.type === 'context_transform' && session.entry(head)['transformerName'] === 'compaction';
}
