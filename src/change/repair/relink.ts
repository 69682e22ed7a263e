import type { Head, RawId } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';

type Reason = 'orphan' | 'no-parent' | 'cycle';

/** The links of a session as they should be, by the index of the entry. */
export interface RepairedLinks {
  /** ROOT for none. */
  readonly parents: Int32Array;
  /** Only of entries that get a parent which they did not name. */
  readonly reasons: ReadonlyMap<number, Reason>;
  /** Of orphans whose parent is lost: an entry that was above it. */
  readonly viaMissing: ReadonlySet<number>;
  /** The targets of labels, edits and compactions, where they are not what the id means to Pi. */
  readonly targets: ReadonlyMap<number, number>;
}

export const NO_PARENT = -1;

interface LinkHints {
  readonly sessionId: string;
  /** Of entries without an id: the one that others know them by. */
  readonly missingIds: ReadonlyMap<number, string>;
  readonly lostParents: ReadonlyMap<RawId, unknown>;
}

/**
 * Finds a parent for every entry: of entries with one id the nearest above it in the file; where there is none, the
 * entry before it in the file, or before the first child of the same parent. No parents lead in a circle.
 */
export function relink(heads: Heads, known: LinkHints): RepairedLinks {
  const finder = new LinkFinder(heads, known);
  for (const head of heads) finder.take(head);
  const { parents, reasons, viaLost, targets } = finder;
  const tops = new Tops(heads.length);
  // The link that closes a circle is the one that leads down the file: it is met last from below.
  for (let index = heads.length - 1; index >= 0; index -= 1) {
    const parent = parents[index] ?? NO_PARENT;
    if (parent !== NO_PARENT && !tops.link(index, parent)) reasons.set(index, 'cycle');
  }
  /** The places of the lost parents, by their ids: before their first child. */
  const places = new Map<RawId, number>();
  for (const index of [...reasons.keys()].toSorted((a, b) => a - b)) {
    const lost = reasons.get(index) === 'orphan' ? heads.at(index)?.parentId : undefined;
    const before = places.get(lost) ?? index - 1;
    if (lost !== undefined) places.set(lost, before);
    parents[index] = before >= 0 && tops.link(index, before) ? before : NO_PARENT;
  }
  return { parents, reasons, viaMissing: viaLost, targets };
}

class LinkFinder {
  readonly parents: Int32Array;
  readonly reasons = new Map<number, Reason>();
  readonly viaLost = new Set<number>();
  readonly targets = new Map<number, number>();
  private readonly first = new Map<RawId, number>();
  private readonly nearest = new Map<RawId, number>();
  private hadNoId = false;

  constructor(
    heads: Heads,
    private readonly known: LinkHints,
  ) {
    this.parents = new Int32Array(heads.length).fill(NO_PARENT);
    for (const head of heads) {
      const id = this.idOf(head);
      if (id && !this.first.has(id)) this.first.set(id, head.index);
    }
  }

  take(head: Head): void {
    const { index, target } = head;
    const id = this.idOf(head);
    const parent = this.parentOf(head);
    if (typeof parent === 'string') this.reasons.set(index, parent);
    else this.parents[index] = parent;
    this.hadNoId = !head.id;
    if (id) this.nearest.set(id, index);
    const meant = this.entryOf(target);
    if (meant !== undefined) this.targets.set(index, meant);
  }

  private idOf({ id, index }: Head): RawId {
    return id || this.known.missingIds.get(index);
  }

  private parentOf(head: Head): number | Reason {
    const { parentId } = head;
    if (parentId === undefined && (!head.id || this.hadNoId)) return 'no-parent';
    // Some writers name the header as the parent of the first entry: a root all the same.
    if (!parentId || (parentId === this.known.sessionId && !this.first.has(parentId))) return NO_PARENT;
    return this.entryOf(parentId) ?? this.aboveLost(head);
  }

  private entryOf(id: RawId): number | undefined {
    return id ? (this.nearest.get(id) ?? this.first.get(id)) : undefined;
  }

  /** The parent of an entry whose own parent is lost. */
  private aboveLost({ parentId, index }: Head): number | Reason {
    const { lostParents } = this.known;
    let above: unknown = parentId;
    for (let steps = 0; steps <= lostParents.size && lostParents.has(above as RawId); steps += 1) {
      above = lostParents.get(above as RawId);
      const found = above === null ? NO_PARENT : this.entryOf(above as RawId);
      if (found === undefined) continue;
      this.viaLost.add(index);
      return found;
    }
    return 'orphan';
  }
}

/** The entry that the parents of an entry lead to, with all links so far. */
class Tops {
  private readonly above: Int32Array;

  constructor(length: number) {
    this.above = Int32Array.from({ length }, (_, index) => index);
  }

  /** Adds the link from an entry that has none so far. false: it would lead back to the entry. */
  link(index: number, parent: number): boolean {
    if (this.topOf(parent) === index) return false;
    this.above[index] = parent;
    return true;
  }

  private topOf(index: number): number {
    const { above } = this;
    let at = index;
    for (let next = above[at] ?? at; next !== at; next = above[at] ?? at) {
      // Shortens the way for the next one.
      above[at] = above[next] ?? next;
      at = next;
    }
    return at;
  }
}
