import type { Head } from '#session/table/head.js';
import { forestOf } from '#session/tree/forest.js';
import { pathTo, type Tree } from '#session/tree/tree.js';
import type { RequestColumns } from './data.js';
import { deriveRequests } from './derived-requests.js';
import type { RequestLists, RequestSource } from './request-source.js';
import { RequestWalk } from './request-walk.js';

/** The requests of the path, and of the other branches as far as they can be followed at a bearable price. */
export function requestColumns(source: RequestSource): RequestColumns {
  const lists: RequestLists = {
    entries: [],
    before: [],
    keeps: [],
    ranges: [],
    preambles: [],
    models: [],
    levels: [],
    uncached: [],
    ledgers: [],
  };
  const numbers = new Int32Array(source.session.tree.heads.length).fill(-1);
  const walk = (path: readonly Head[], isReported: boolean): void => {
    new RequestWalk(source, path, { lists, numbers }).walk(isReported);
  };
  walk(source.path, true);
  const onPath = lists.entries.length;
  const derive = (): void => deriveRequests(source, { lists, numbers });
  derive();
  const leftOut = followBranches(source.session.tree, numbers, (path) => {
    walk(path, false);
    derive();
  });
  return { ...lists, onPath, leftOut };
}

/** Branches that change more than the end of the list are followed from their roots, until so many entries were looked at. */
const STEPS_PER_ENTRY = 4;
const LEAST_STEPS = 20_000;
/** To look through all entries for what follows from a branch takes about as long as to replay this share of them. */
const SHARE_OF_ALL = 0.1;

/** The newest branches first. Gives the number of requests that were left out. */
function followBranches(tree: Tree, numbers: Int32Array, follow: (path: readonly Head[]) => void): number {
  const { length } = tree.heads;
  let steps = Math.max(LEAST_STEPS, length * STEPS_PER_ENTRY);
  const answers = [...forestOf(tree).order].filter((index) => tree.heads.roleAt(index) === 'assistant');
  for (const end of lastAnswers(tree, answers, numbers)) {
    const head = tree.heads.at(end);
    if (!head || numbers[end] !== -1) continue;
    const path = pathTo(tree, head);
    steps -= path.length + length * SHARE_OF_ALL;
    if (steps < 0) break;
    follow(path);
  }
  return answers.filter((index) => numbers[index] === -1).length;
}

/** Of the answers that are not known, those with no other one below, the newest first. */
function lastAnswers({ heads }: Tree, answers: readonly number[], numbers: Int32Array): readonly number[] {
  const isAbove = new Uint8Array(heads.length);
  const ends = new Set<number>();
  // What is below comes first.
  for (const answer of answers.toReversed()) {
    if (numbers[answer] !== -1) continue;
    if (isAbove[answer] === 0) ends.add(answer);
    for (let at = heads.parentAt(answer); at !== -1 && isAbove[at] === 0; at = heads.parentAt(at)) isAbove[at] = 1;
  }
  return [...ends].toSorted((a, b) => b - a);
}
