import type { Problem } from '../errors.js';
import { type Head, idText, type RawId } from './head.js';

/** The entries of a session by id. Several roots are normal, and so are children that stand before their parent. */
export interface Tree {
  /** Entries in file order. */
  readonly heads: readonly Head[];
  /** A repeated id means its last entry, as in Pi. */
  readonly byId: ReadonlyMap<RawId, Head>;
  /** The active leaf: the last entry of the file, whatever its type. null: nothing is active. */
  readonly leaf: Head | null;
}

export function treeOf(heads: readonly Head[]): Tree {
  const byId = new Map<RawId, Head>();
  for (const head of heads) byId.set(head.id, head);
  const last = heads.at(-1) ?? null;
  // Pi takes an id that is null for "before the first entry".
  return { heads, byId, leaf: last?.id === null ? null : last };
}

/** The entries from the root to `head`. Ends at a missing parent, and cuts a cycle where it would repeat. */
export function pathTo(tree: Tree, head: Head): readonly Head[] {
  const path: Head[] = [];
  const seen = new Set<Head>();
  for (let next: Head | undefined = head; next && !seen.has(next); next = parentOf(tree, next)) {
    seen.add(next);
    path.push(next);
  }
  return path.toReversed();
}

/** Pi follows any parent id that is truthy and known; every other entry is a root. */
export function parentOf(tree: Tree, head: Head): Head | undefined {
  return head.parentId ? tree.byId.get(head.parentId) : undefined;
}

/** What is wrong between entries: repeated ids, missing parents, cycles, and targets that are not there. */
export function problemsOfTree(tree: Tree, sessionId: string): Problem[] {
  return [...linkProblems(tree, sessionId), ...cycleProblems(tree)].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function* linkProblems(tree: Tree, sessionId: string): Generator<Problem> {
  for (const head of tree.heads) {
    const { id, parentId, type, target } = head;
    if (id !== undefined && tree.byId.get(id) !== head) {
      yield problemAt(
        head,
        'duplicate-id',
        'error',
        `a later line has the same id, and hides this one (line ${tree.byId.get(id)?.line})`,
      );
    }
    // Some writers name the header as the parent of the first entry: a root all the same.
    if (parentId && parentId !== sessionId && !tree.byId.has(parentId)) {
      yield problemAt(head, 'orphan', 'error', `its parent "${parentId}" is not in the file, so the path begins here`);
    }
    if (type === 'label' && (target === undefined || !tree.byId.has(target))) {
      yield problemAt(head, 'dangling-label', 'warning', `it labels "${target}", which is not in the file`);
    }
    if (type === 'context_edit' && !tree.byId.has(target)) {
      yield problemAt(head, 'dangling-edit', 'warning', `it edits "${target}", which is not in the file`);
    }
    if (type === 'compaction' && !tree.byId.has(target)) {
      const named =
        target === undefined
          ? 'it does not say from where it keeps'
          : `it keeps from "${target}", which is not in the file`;
      yield problemAt(head, 'dangling-compaction', 'warning', named);
    }
  }
}

/** One problem for each cycle, at the entry of it that stands last in the file. */
function* cycleProblems(tree: Tree): Generator<Problem> {
  const walked = new Set<Head>();
  for (const start of tree.heads) {
    const walk = new Set<Head>();
    let next: Head | undefined = start;
    for (; next && !walked.has(next) && !walk.has(next); next = parentOf(tree, next)) walk.add(next);
    if (next && walk.has(next)) {
      const members = [...walk];
      const cycle = members.slice(members.indexOf(next));
      const last = cycle.reduce((a, b) => (a.line > b.line ? a : b));
      yield problemAt(
        last,
        'cycle',
        'error',
        `${cycle.length === 1 ? 'it is its own parent' : `its parents lead back to it after ${cycle.length} entries`}; the path is cut here, Pi would run out of memory`,
      );
    }
    for (const head of walk) walked.add(head);
  }
}

function problemAt(head: Head, code: string, severity: Problem['severity'], message: string): Problem {
  return {
    code,
    severity,
    message,
    line: head.line,
    entryId: idText(head.id),
    offset: head.offset,
    length: head.length,
  };
}
