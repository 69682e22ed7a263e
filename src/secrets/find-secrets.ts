import { Beginnings } from './beginnings.js';
import type { Means, Secret } from './define.js';
import { patterns } from './patterns/index.js';

/** The secrets in a text, in order. They do not overlap. */
export async function findSecrets(text: string): Promise<readonly Secret[]> {
  if (text.length < SHORTEST) return [];
  const ranks = ranksIn(text);
  for (const rank of ranks) await patterns[rank]?.prepare?.();
  return foundBy(ranks, text);
}

/** The same, at once: only after `preparePatterns`. */
export function findSecretsNow(text: string): readonly Secret[] {
  return text.length < SHORTEST ? [] : foundBy(ranksIn(text), text);
}

/** Loads what any of the patterns needs. */
export async function preparePatterns(): Promise<void> {
  for (const pattern of patterns) await pattern.prepare?.();
}

function foundBy(ranks: readonly number[], text: string): readonly Secret[] {
  const found: Ranked[] = [];
  for (const rank of ranks) {
    const pattern = patterns[rank];
    if (!pattern) continue;
    for (const { kind, start, end } of pattern.find(text)) found.push({ means: pattern.means, kind, start, end, rank });
  }
  return apart(found);
}

/** Text without one of these, see `TextFinder`, holds nothing that is found by these means. */
export function anchorsOf(means: Means): readonly string[] {
  return [...new Set(patterns.filter((pattern) => pattern.means === means).flatMap(({ anchors }) => anchors))];
}

/** What it takes to be a secret of any kind. */
const SHORTEST = 8;

interface Ranked extends Secret {
  /** Its pattern's place in the list. */
  readonly rank: number;
}

/** Of finds that overlap the one of the pattern that comes first, and of one pattern the first. */
function apart(found: readonly Ranked[]): readonly Secret[] {
  const kept: Ranked[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || a.rank - b.rank)) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    else if (next.rank < last.rank) kept[kept.length - 1] = next;
  }
  return kept.map(({ means, kind, start, end }) => ({ means, kind, start, end }));
}

/** The patterns of which a text may hold an anchor, in their order. */
function ranksIn(text: string): readonly number[] {
  search ??= searchForAll();
  const { beginnings, ranks } = search;
  const found = new Set<number>();
  for (const anchor of beginnings.in(text)) for (const rank of ranks[anchor] ?? []) found.add(rank);
  return [...found].toSorted((a, b) => a - b);
}

interface Search {
  readonly beginnings: Beginnings;
  /** For each anchor the patterns that have it. */
  readonly ranks: readonly (readonly number[])[];
}

/** Made when the first text comes. */
let search: Search | null = null;

function searchForAll(): Search {
  const ranks = new Map<string, number[]>();
  for (const [rank, { anchors }] of patterns.entries())
    for (const anchor of anchors) ranks.set(anchor, [...(ranks.get(anchor) ?? []), rank]);
  return { beginnings: new Beginnings([...ranks.keys()]), ranks: [...ranks.values()] };
}
