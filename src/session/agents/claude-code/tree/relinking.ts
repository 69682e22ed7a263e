import type { KeptMessages } from '../records/boundary.js';
import type { ClaudeRecords } from '../records/records.js';

/** Records with the same parent, which a boundary moves at once, however many they are. */
interface Siblings {
  /** The uuid of their parent. */
  parent: number;
  /** The siblings that they have joined, whose parent is theirs; null if they joined none. */
  joined: Siblings | null;
}

/** The parents of records, as boundaries move them. */
export class Relinking {
  /** The records that name a uuid as their parent, for each uuid that a boundary concerns. */
  private readonly recorded = new Map<number, Siblings>();
  /** The records whose parent such a uuid is by now; null: it has none. */
  private readonly children = new Map<number, Siblings | null>();
  /** The siblings of each record that was moved alone, by its uuid. */
  private readonly moved = new Map<number, Siblings>();

  constructor(private readonly records: ClaudeRecords) {}

  /** Whether any record has another parent than it names. */
  get isRelinked(): boolean {
    return this.children.size > 0;
  }

  /** The uuid of the parent of a record, 0 if it has none. */
  parentOf(line: number): number {
    const parent = this.records.parent(line);
    if (!this.isRelinked) return parent;
    const siblings = this.moved.get(this.records.uuid(line)) ?? (parent === 0 ? undefined : this.recorded.get(parent));
    return siblings ? findJoined(siblings).parent : parent;
  }

  /**
   * Puts the records that a boundary keeps after its summary. Only records that satisfy `isMovable` move, or get others
   * moved after them.
   */
  keep({ anchor, uuids, isSegment }: KeptMessages, isMovable: (uuid: number) => boolean = () => true): void {
    const first = uuids[0] ?? 0;
    const last = uuids.at(-1) ?? 0;
    if (isMovable(last)) this.moveChildren(anchor, last);
    if (isSegment) this.move(first, anchor);
    else for (const [at, uuid] of uuids.entries()) if (isMovable(uuid)) this.move(uuid, uuids[at - 1] ?? anchor);
  }

  private moveChildren(from: number, to: number): void {
    if (from === to) return;
    const siblings = this.findChildren(from);
    this.children.set(from, null);
    if (siblings === null) return;
    const others = this.findChildren(to);
    if (others) siblings.joined = others;
    else {
      siblings.parent = to;
      this.children.set(to, siblings);
    }
  }

  private move(uuid: number, to: number): void {
    const siblings = this.findChildren(to) ?? { parent: to, joined: null };
    this.children.set(to, siblings);
    this.moved.set(uuid, siblings);
  }

  private findChildren(uuid: number): Siblings | null {
    const existing = this.children.get(uuid);
    if (existing !== undefined) return existing;
    const siblings = { parent: uuid, joined: null };
    this.recorded.set(uuid, siblings);
    this.children.set(uuid, siblings);
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
