import { deepFreeze } from '#base/freeze.js';
import type { JsonObject } from '#base/json.js';
import { type Head, toHead } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The entries of a branch: those of the file, those in another form, and new ones. */
export class BranchEntries {
  /** Entries of the file, as they were parsed, by index. */
  private parsed = new Map<number, JsonObject>();
  /** Entries that the file does not have, or not in this form, by index. */
  private readonly own = new Map<number, JsonObject>();
  private newEntries = 0;
  private newIds = 0;

  constructor(private readonly source: Session) {}

  read(head: Head): JsonObject {
    return this.own.get(head.index) ?? this.parsed.get(head.index) ?? this.source.entry(head);
  }

  /** Keeps an entry of the file that was just parsed. */
  keep({ index }: Head, entry: JsonObject): void {
    this.parsed.set(index, entry);
  }

  /** Keeps no parsed entries but some. */
  keepOnly(heads: readonly Head[]): void {
    const recorded = heads.filter(({ index }) => !this.own.has(index));
    this.parsed = new Map(recorded.map((head) => [head.index, this.read(head)]));
  }

  /** Gives an entry of the file another form. */
  replace({ index }: Head, entry: JsonObject): void {
    this.own.set(index, deepFreeze(entry));
  }

  /** Adds an entry after another one. */
  add(entry: JsonObject, last: Head | null): Head {
    const index = FIRST_NEW_INDEX + this.newEntries;
    this.newEntries += 1;
    this.own.set(index, deepFreeze(entry));
    return { ...toHead(entry, { line: last?.line ?? 1, offset: this.source.source.size, length: 0 }), index };
  }

  /** Whether the file has no entry of this head. */
  isNew({ index }: Head): boolean {
    return index >= FIRST_NEW_INDEX;
  }

  /** Creates an id that is new to the session, and the same in each run. */
  createId(): string {
    for (;;) {
      this.newIds += 1;
      const id = `engine-${this.newIds}`;
      if (!this.source.tree.heads.has(id)) return id;
    }
  }
}

/** The first index of entries that the session does not have. It may grow, but not that far. */
const FIRST_NEW_INDEX = 2 ** 32;
