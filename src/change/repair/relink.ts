import type { Head, RawId } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';

type Reason = 'orphan' | 'no-parent' | 'cycle';

/** The links of a session as they should be, by the index of the entry. */
export interface RepairedLinks {
  /** `NO_PARENT` for a root. */
  readonly parents: Int32Array;
  /** The reasons of the entries that get a parent which they did not name. */
  readonly reasons: ReadonlyMap<number, Reason>;
  /** Orphans that follow an ancestor of their missing parent. */
  readonly viaMissing: ReadonlySet<number>;
  /** The targets of labels, edits and compactions that differ from what the id means to Pi. */
  readonly targets: ReadonlyMap<number, number>;
}

export const NO_PARENT = -1;

interface LinkHints {
  readonly sessionId: string;
  /** The ids of entries without one, as other entries name them. */
  readonly missingIds: ReadonlyMap<number, string>;
  readonly discardedParents: ReadonlyMap<RawId, unknown>;
}

/**
 * Finds a parent for every entry. Of entries with the same id, the nearest before it in the file counts. An entry whose
 * parent is missing follows the entry before it in the file, or before the first child of the same parent. No parents
 * form a cycle.
 */
export function relink(heads: Heads, hints: LinkHints): RepairedLinks {
  const finder = new LinkFinder(heads, hints);
  for (const head of heads) finder.take(head);
  const { parents, reasons, viaMissing, targets } = finder;
  const roots = new Roots(heads.length);
  // The link that closes a cycle is the one that leads down the file: it is met last from below.
  for (let index = heads.length - 1; index >= 0; index -= 1) {
    const parent = parents[index] ?? NO_PARENT;
    if (parent !== NO_PARENT && !roots.link(index, parent)) reasons.set(index, 'cycle');
  }
  /** The places of missing parents, by their ids: before their first child. */
  const places = new Map<RawId, number>();
  for (const index of [...reasons.keys()].toSorted((a, b) => a - b)) {
    const missing = reasons.get(index) === 'orphan' ? heads.at(index)?.parentId : undefined;
    const before = places.get(missing) ?? index - 1;
    if (missing !== undefined) places.set(missing, before);
    parents[index] = before >= 0 && roots.link(index, before) ? before : NO_PARENT;
  }
  return { parents, reasons, viaMissing, targets };
}

/** The search for the parent that each entry names, in the order of the file. */
class LinkFinder {
  readonly parents: Int32Array;
  readonly reasons = new Map<number, Reason>();
  readonly viaMissing = new Set<number>();
  readonly targets = new Map<number, number>();
  private readonly first = new Map<RawId, number>();
  private readonly nearest = new Map<RawId, number>();
  private hadNoId = false;

  constructor(
    heads: Heads,
    private readonly hints: LinkHints,
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
    const parent = this.findParent(head);
    if (typeof parent === 'string') this.reasons.set(index, parent);
    else this.parents[index] = parent;
    this.hadNoId = !head.id;
    if (id) this.nearest.set(id, index);
    const targetIndex = this.findEntry(target);
    if (targetIndex !== undefined) this.targets.set(index, targetIndex);
  }

  private idOf({ id, index }: Head): RawId {
    return id || this.hints.missingIds.get(index);
  }

  private findParent(head: Head): number | Reason {
    const { parentId } = head;
    if (parentId === undefined && (!head.id || this.hadNoId)) return 'no-parent';
    // Some writers name the header as the parent of the first entry: a root all the same.
    if (!parentId || (parentId === this.hints.sessionId && !this.first.has(parentId))) return NO_PARENT;
    return this.findEntry(parentId) ?? this.findAncestor(head);
  }

  private findEntry(id: RawId): number | undefined {
    return id ? (this.nearest.get(id) ?? this.first.get(id)) : undefined;
  }

  /** The nearest ancestor that the file still has, of an entry whose parent was discarded. */
  private findAncestor({ parentId, index }: Head): number | Reason {
    const { discardedParents } = this.hints;
    let above: unknown = parentId;
    for (let tries = 0; tries <= discardedParents.size && discardedParents.has(above as RawId); tries += 1) {
      above = discardedParents.get(above as RawId);
      const found = above === null ? NO_PARENT : this.findEntry(above as RawId);
      if (found === undefined) continue;
      this.viaMissing.add(index);
      return found;
    }
    return 'orphan';
  }
}

/** The root that the parents of an entry lead to, with all links so far. */
class Roots {
  private readonly above: Int32Array;

  constructor(length: number) {
    this.above = Int32Array.from({ length }, (_, index) => index);
  }

  /** Adds the link from an entry that has none so far. false: it would lead back to the entry. */
  link(index: number, parent: number): boolean {
    if (this.findRoot(parent) === index) return false;
    this.above[index] = parent;
    return true;
  }

  private findRoot(index: number): number {
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
