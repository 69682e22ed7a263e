import { type Forest, ROOT } from './forest.js';

/** The entries of a forest to show. */
export interface OutlineChoice {
  /** Called at most once for each entry, parents first, and only for entries within `from` and `depth`. */
  isVisible(index: number): boolean;
  /** The single entry, always visible, at which the rows begin; null for all roots. */
  readonly from: number | null;
  /** The number of levels shown, counted from a shown root. */
  readonly depth: number;
}

/** A visible entry with its position. Its parent is its nearest visible ancestor. */
export interface OutlineRow {
  readonly index: number;
  /** 1 for a root, one more for each visible ancestor. */
  readonly depth: number;
  /** The number of visible children, including those too deep to be shown. */
  readonly children: number;
  /** The number of forks before it: entries that continue a chain have the same indentation as their parent. */
  readonly forks: number;
  /** Its index among its siblings. */
  readonly place: 'only' | 'last' | 'not last';
}

/** The rows of the visible entries, parents before children, as an indented list prints them. */
export function* outlineOf(forest: Forest, choice: OutlineChoice): Generator<OutlineRow> {
  const { links, depths, childCounts, lastChildren } = linkVisible(forest, choice);
  const forks = new Uint32Array(links.length);
  const { order } = forest;
  for (let at = 0; at < order.length; at += 1) {
    const index = order[at] ?? 0;
    const parent = links[index] ?? OUTSIDE;
    const depth = depths[index] ?? 0;
    if (depth === 0 || depth > choice.depth) continue;
    const isForked = (childCounts[parent + 1] ?? 0) > 1;
    const above = (parent === ROOT ? 0 : (forks[parent] ?? 0)) + (isForked ? 1 : 0);
    forks[index] = above;
    const placeInFork = lastChildren[parent + 1] === index ? 'last' : 'not last';
    const place = isForked ? placeInFork : 'only';
    yield { index, depth, children: childCounts[index + 1] ?? 0, forks: above, place };
  }
}

const OUTSIDE = -2;

/** The visible tree by column. Children are counted at the index of their parent plus one, roots at 0. */
interface Links {
  /** The nearest visible ancestor of each entry or ROOT, or OUTSIDE if it is not included. */
  readonly links: Int32Array;
  /** The depth of each visible entry, 0 for every other one. */
  readonly depths: Uint32Array;
  readonly childCounts: Uint32Array;
  readonly lastChildren: Uint32Array;
}

function linkVisible({ order, parents }: Forest, { isVisible, from, depth }: OutlineChoice): Links {
  const links = new Int32Array(parents.length);
  const depths = new Uint32Array(parents.length);
  const childCounts = new Uint32Array(parents.length + 1);
  const lastChildren = new Uint32Array(parents.length + 1);
  const linkOfRoot = from === null ? ROOT : OUTSIDE;
  const findLink = (parent: number): number => {
    if (parent === ROOT) return linkOfRoot;
    const isVisibleParent = (depths[parent] ?? 0) > 0;
    return isVisibleParent ? parent : (links[parent] ?? ROOT);
  };
  for (let at = 0; at < order.length; at += 1) {
    const index = order[at] ?? 0;
    const link = index === from ? ROOT : findLink(parents[index] ?? ROOT);
    const depthAbove = link < 0 ? 0 : (depths[link] ?? 0);
    const isTooDeep = depthAbove > depth;
    links[index] = isTooDeep ? OUTSIDE : link;
    if (isTooDeep || link === OUTSIDE || (index !== from && !isVisible(index))) continue;
    depths[index] = depthAbove + 1;
    childCounts[link + 1] = (childCounts[link + 1] ?? 0) + 1;
    lastChildren[link + 1] = index;
  }
  return { links, depths, childCounts, lastChildren };
}
