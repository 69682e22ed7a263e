import type { KeptMessages } from '../records/boundary.js';
import type { ClaudeRecords } from '../records/records.js';

/**
 * Records with the same parent, which a boundary moves together. A file may have very many of them and of boundaries, so
 * none of the records is touched. Siblings that get the parent of other siblings are joined to these, as in a disjoint-set
 * forest: see `findJoined`.
 */
interface Siblings {
  /** The uuid of their parent. */
  parentUuid: number;
  /** The siblings that they have joined, whose parent is theirs; null if they joined none. */
  joined: Siblings | null;
}

/** The parents of records, as boundaries move them. */
export class Relinking {
  /** The siblings whose records name a uuid as their parent, for each uuid that a boundary concerns. */
  private readonly byNamedParent = new Map<number, Siblings>();
  /** The siblings that follow such a uuid by now; null if none do. */
  private readonly byParent = new Map<number, Siblings | null>();
  /** The siblings of each record that was moved alone, by its uuid. */
  private readonly ofMoved = new Map<number, Siblings>();

  constructor(private readonly records: ClaudeRecords) {}

  /** Whether any record has another parent than it names. */
  get isRelinked(): boolean {
    return this.byParent.size > 0;
  }

  /** The uuid of the parent of a record, 0 if it has none. */
  parentUuidOf(line: number): number {
    const named = this.records.parentUuid(line);
    if (!this.isRelinked) return named;
    const ofNamed = named === 0 ? undefined : this.byNamedParent.get(named);
    const siblings = this.ofMoved.get(this.records.uuid(line)) ?? ofNamed;
    return siblings ? findJoined(siblings).parentUuid : named;
  }

  /**
   * Puts the records that a boundary keeps after its summary. Only records that satisfy `isMovable` move, or get others
   * moved after them.
   */
  keep({ anchor, uuids, isSegment }: KeptMessages, isMovable: (uuid: number) => boolean = () => true): void {
    const first = uuids[0] ?? 0;
    const last = uuids.at(-1) ?? 0;
    if (isMovable(last)) this.moveChildren(anchor, last);
    if (isSegment) {
      // The other records of a segment follow its first one, as the file has them.
      this.move(first, anchor);
      return;
    }
    for (const [at, uuid] of uuids.entries()) {
      if (isMovable(uuid)) this.move(uuid, uuids[at - 1] ?? anchor);
    }
  }

  /** Lets the records that follow one follow another one. */
  private moveChildren(from: number, to: number): void {
    if (from === to) return;
    const siblings = this.findChildren(from);
    this.byParent.set(from, null);
    if (siblings === null) return;
    const others = this.findChildren(to);
    if (others) siblings.joined = others;
    else {
      siblings.parentUuid = to;
      this.byParent.set(to, siblings);
    }
  }

  /** Lets one record follow another one. */
  private move(uuid: number, to: number): void {
    const siblings = this.findChildren(to) ?? { parentUuid: to, joined: null };
    this.byParent.set(to, siblings);
    this.ofMoved.set(uuid, siblings);
  }

  private findChildren(uuid: number): Siblings | null {
    const existing = this.byParent.get(uuid);
    if (existing !== undefined) return existing;
    const siblings = { parentUuid: uuid, joined: null };
    this.byNamedParent.set(uuid, siblings);
    this.byParent.set(uuid, siblings);
    return siblings;
  }
}

/** The siblings that these are part of by now. Shortens the way to them for the next time. */
function findJoined(siblings: Siblings): Siblings {
  let own = siblings;
  for (let next = own.joined; next; next = own.joined) {
    own.joined = next.joined ?? next;
    own = next;
  }
  return own;
}
