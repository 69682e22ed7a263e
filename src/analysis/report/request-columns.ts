import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { toLenient } from '#context/lenient.js';
import { PathSizes } from '#context/size/path-sizes.js';
import type { Head } from '#session/heads/head.js';
import { forestOf } from '#session/tree/forest.js';
import { pathTo, type Tree } from '#session/tree/tree.js';
import { CollectedRequests, type Columns } from './collected-requests.js';
import { deriveRequests } from './derive-requests.js';
import type { RequestColumns } from './document.js';
import type { RequestSource } from './request-source.js';
import { RequestWalk } from './request-walk.js';

/** The requests of the path, and those of other branches within a limit on the work. */
export function buildRequestColumns(source: RequestSource): RequestColumns {
  const to = new CollectedRequests(source);
  const follow = (path: readonly Head[], isReported: boolean): void =>
    new RequestWalk(source, path, to).walk(isReported);
  follow(source.path, true);
  const onPath = to.columns.entries.length;
  const estimated = estimateSizes(source, to.columns);
  deriveRequests(source, to);
  const leftOut = followBranches(source.session.tree, to.numbers, (path) => {
    follow(path, false);
    deriveRequests(source, to);
  });
  const ledgers = to.columns.ledgers.subarray(0, to.columns.entries.length * CONTENT_KINDS.length);
  return { ...to.columns, ledgers, estimated, onPath, leftOut };
}

type Sizes = Pick<Columns, 'entries' | 'tokens'>;

/** Estimates the sizes of the path's requests that no provider counted. Returns the requests. */
function estimateSizes({ session, path, baseline }: RequestSource, { entries, tokens }: Sizes): readonly number[] {
  const uncounted = entries.flatMap((entry, at) => (entry !== -1 && tokens[at] === null ? [at] : []));
  if (uncounted.length === 0) return [];
  const places = new Map(path.map(({ index }, place) => [index, place]));
  const sizes = new PathSizes(toLenient(session), { path, baseline });
  for (const at of uncounted) {
    const before = (places.get(entries[at] ?? -1) ?? 0) - 1;
    if (before >= 0) tokens[at] = sizes.tokensAfter(before).tokens;
  }
  return uncounted;
}

/** The maximum steps per entry for branches that are replayed from their roots. */
const STEPS_PER_ENTRY = 4;

const LEAST_STEPS = 20_000;

/** A scan of all entries takes about as long as a replay of this share of them. */
const SHARE_OF_ALL = 0.1;

/** Follows branches, newest first. Returns the number of omitted requests. */
function followBranches(tree: Tree, numbers: Int32Array, follow: (path: readonly Head[]) => void): number {
  const { length } = tree.heads;
  let steps = Math.max(LEAST_STEPS, length * STEPS_PER_ENTRY);
  const answers = [...forestOf(tree).order].filter((index) => tree.heads.roleAt(index) === 'assistant');
  for (const end of findLastAnswers(tree, answers, numbers)) {
    const head = tree.heads.at(end);
    if (!head || numbers[end] !== -1) continue;
    const path = pathTo(tree, head);
    steps -= path.length + length * SHARE_OF_ALL;
    if (steps < 0) break;
    follow(path);
  }
  return answers.filter((index) => numbers[index] === -1).length;
}

/** The unknown answers without another one below them, newest first. */
function findLastAnswers({ heads }: Tree, answers: readonly number[], numbers: Int32Array): readonly number[] {
  const isAbove = new Uint8Array(heads.length);
  const ends = new Set<number>();
  // Descendants come first.
  for (const answer of answers.toReversed()) {
    if (numbers[answer] !== -1) continue;
    if (isAbove[answer] === 0) ends.add(answer);
    for (let at = heads.parentAt(answer); at !== -1 && isAbove[at] === 0; at = heads.parentAt(at)) isAbove[at] = 1;
  }
  return [...ends].toSorted((a, b) => b - a);
}
