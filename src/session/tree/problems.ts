import { type Problem, sortByLine } from '#base/errors.js';
import { formatId, type Head, quoteId } from '../heads/head.js';
import type { Heads } from '../heads/heads.js';
import type { Tree } from './tree.js';

/** Problems between entries: repeated ids, missing parents, cycles, and missing targets. */
export function listTreeProblems(tree: Tree, sessionId: string): Problem[] {
  const { heads } = tree;
  const ofLinks = [...heads.listSuspects([...LINKS.keys()])].flatMap((head) => [
    ...listLinkProblems(heads, head, sessionId),
  ]);
  return sortByLine([...ofLinks, ...listCycleProblems(tree)]);
}

/** How to report a link to an entry that is not in the file. */
interface DanglingLink {
  readonly code: string;
  /** Names the entry that it should lead to. */
  readonly target: string;
  /** Begins the sentence about an id that is not in the file. */
  describe(id: string): string;
}

/** How to report it, for each type of entries that name another one. */
const LINKS: ReadonlyMap<string, DanglingLink> = new Map([
  ['label', { code: 'dangling-label', target: 'its entry', describe: (id) => `it labels ${id}, which` }],
  ['context_edit', { code: 'dangling-edit', target: 'its entry', describe: (id) => `it edits ${id}, which` }],
  [
    'compaction',
    {
      code: 'dangling-compaction',
      target: 'the first entry that it keeps',
      describe: (id) => `the first entry that it keeps, ${id},`,
    },
  ],
]);

function* listLinkProblems(heads: Heads, head: Head, sessionId: string): Generator<Problem> {
  const { id, parentId, type, target, index } = head;
  const resolved = heads.entryOfIdAt(index);
  if (id !== undefined && resolved !== index) {
    const line = heads.at(resolved)?.line;
    yield buildEntryProblem(head, 'duplicate-id', 'error', `line ${line} has the same id and hides this entry`);
  }
  // Some programs name the header as the parent of the first entry, which is a root as well.
  if (parentId && parentId !== sessionId && !heads.has(parentId)) {
    const message = `its parent ${quoteId(parentId)} is not in the file, so the path begins here`;
    yield buildEntryProblem(head, 'orphan', 'error', message);
  }
  const dangling = LINKS.get(type ?? '');
  const namesNothing = type === 'label' && target === undefined;
  if (!dangling || (heads.has(target) && !namesNothing)) return;
  const message =
    target === undefined
      ? `it does not name ${dangling.target}`
      : `${dangling.describe(quoteId(target))} is not in the file`;
  yield buildEntryProblem(head, dangling.code, 'warning', message);
}

/** One problem for each cycle, at its last entry in the file. */
function* listCycleProblems({ heads }: Tree): Generator<Problem> {
  const { length } = heads;
  if (heads.areParentsAbove()) return;
  /** The walk in which an entry was first met, from 1; 0 for one that was not. */
  const walkOf = new Uint32Array(length);
  for (let start = 0; start < length; start += 1) {
    const walk = start + 1;
    let next = start;
    for (; next !== -1 && walkOf[next] === 0; next = heads.parentAt(next)) walkOf[next] = walk;
    if (next !== -1 && walkOf[next] === walk) yield* findCycleProblem(heads, next);
  }
}

function* findCycleProblem(heads: Heads, start: number): Generator<Problem> {
  let last = start;
  let size = 1;
  for (let next = heads.parentAt(start); next !== start; next = heads.parentAt(next)) {
    last = Math.max(last, next);
    size += 1;
  }
  const way = size === 1 ? 'it is its own parent' : `its parents form a cycle of ${size} entries`;
  const head = heads.at(last);
  if (head)
    yield buildEntryProblem(head, 'cycle', 'error', `${way}; the path is cut here, where Pi would run out of memory`);
}

function buildEntryProblem(head: Head, code: string, severity: Problem['severity'], message: string): Problem {
  const { line, offset, length } = head;
  return { code, severity, message, line, entryId: formatId(head.id), offset, length };
}
