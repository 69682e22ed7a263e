import { type ChainRecord, Families } from './record.js';

/** The records that the client reads when it resumes the session. Parents are as the boundaries relink them. */
export class LiveChain {
  readonly records: ReadonlyMap<string, ChainRecord>;
  private readonly relinked = new Map<string, string>();

  /** `start`: the place of the first record that is read. */
  constructor(all: ReadonlyMap<string, ChainRecord>, start: number) {
    this.records = new Map([...all].filter(([, { at }]) => at >= start));
    for (const record of this.records.values()) this.relink(record);
  }

  parentOf(record: ChainRecord): ChainRecord | undefined {
    const id = this.parentIdOf(record);
    return id ? this.records.get(id) : undefined;
  }

  /** The records from the root to a record. Ends where a cycle would repeat. */
  pathTo(record: ChainRecord): readonly ChainRecord[] {
    const seen = new Set<ChainRecord>();
    for (let next: ChainRecord | undefined = record; next && !seen.has(next); next = this.parentOf(next))
      seen.add(next);
    return [...seen].toReversed();
  }

  /** The newest tip below a message, and that message, which is the active leaf; null if there is no message. */
  tip(): { readonly tip: ChainRecord; readonly leaf: ChainRecord } | null {
    const isParent = new Set<ChainRecord>();
    for (const record of this.records.values()) {
      const parent = isMain(record) ? this.parentOf(record) : undefined;
      if (parent) isParent.add(parent);
    }
    const tips = [...this.records.values()].filter((record) => isMain(record) && !isParent.has(record));
    const dead = new Set<ChainRecord>();
    for (const tip of tips.toSorted((a, b) => b.at - a.at)) {
      const leaf = this.messageAbove(tip, dead);
      if (leaf) return { tip, leaf };
    }
    return null;
  }

  /** The messages that are read, in order, with those of parallel calls put back. */
  messages(leaf: ChainRecord): readonly ChainRecord[] {
    const path = this.pathTo(leaf);
    const onPath = new Set(path);
    const families = new Families();
    for (const record of this.records.values()) families.add(record, this.parentIdOf(record));
    const last = new Map(path.flatMap((record) => (record.answer === null ? [] : [[record.answer, record] as const])));
    const put = new Set(path);
    return path.flatMap((record) => {
      if (record.answer === null || last.get(record.answer) !== record) return [record];
      const lines = families.answers.get(record.answer) ?? [];
      const results = families.resultsOf(lines).filter((one) => !put.has(one) && put.add(one));
      return [record, ...lines.filter((one) => !onPath.has(one)), ...byTime(results)];
    });
  }

  private parentIdOf({ uuid, parent }: ChainRecord): string | null {
    return this.relinked.get(uuid) ?? parent;
  }

  private messageAbove(tip: ChainRecord, dead: Set<ChainRecord>): ChainRecord | null {
    for (let next: ChainRecord | undefined = tip; next && !dead.has(next); next = this.parentOf(next)) {
      if (isMessage(next)) return next;
      dead.add(next);
    }
    return null;
  }

  /** Puts what a boundary keeps after its summary. */
  private relink({ boundary }: ChainRecord): void {
    const kept = boundary && keptBy(boundary, this.records);
    if (!kept) return;
    const { anchor, uuids, isSegment } = kept;
    const [first, last] = [uuids[0] ?? '', uuids.at(-1) ?? ''];
    const inside = new Set(isSegment ? [first] : uuids);
    for (const other of this.records.values())
      if (this.parentIdOf(other) === anchor && !inside.has(other.uuid)) this.relinked.set(other.uuid, last);
    if (isSegment) this.relinked.set(first, anchor);
    else for (const [at, uuid] of uuids.entries()) this.relinked.set(uuid, uuids[at - 1] ?? anchor);
  }
}

/** The messages that a boundary keeps; of a segment only its ends. */
export interface Kept {
  readonly anchor: string;
  readonly uuids: readonly string[];
  readonly isSegment: boolean;
}

/** null if a boundary names nothing to keep. A list counts only if all of its messages are in the file. */
export function keptBy(
  { messages, segment }: NonNullable<ChainRecord['boundary']>,
  records: ReadonlyMap<string, ChainRecord>,
): Kept | null {
  if (messages) {
    const isWhole = messages.uuids.length > 0 && messages.uuids.every((uuid) => records.has(uuid));
    return isWhole ? { ...messages, isSegment: false } : null;
  }
  return segment && { anchor: segment.anchor, uuids: [segment.head, segment.tail], isSegment: true };
}

/** The size of a file from which the client reads no more than it needs. */
const BIG_BYTES = 5 * 2 ** 20;

/** The place of the first record that the client reads: in a big file, the last boundary that keeps nothing. */
export function firstRead(records: Iterable<ChainRecord>, size: number): number {
  let start = 0;
  if (size <= BIG_BYTES) return start;
  for (const { boundary, at } of records) if (boundary && !boundary.keeps) start = Math.max(start, at);
  return start;
}

/** Whether a record belongs to the conversation itself, not to that of a subagent. */
export function isMain({ isSide, isTeam, type }: ChainRecord): boolean {
  return !isSide && !isTeam && type !== 'progress';
}

export function isMessage({ type }: ChainRecord): boolean {
  return type === 'user' || type === 'assistant';
}

export function byTime(records: readonly ChainRecord[]): readonly ChainRecord[] {
  return records.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : Number(a.timestamp > b.timestamp)));
}
