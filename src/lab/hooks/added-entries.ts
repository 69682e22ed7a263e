import type { JsonObject } from '#base/json.js';
import { type Entry, toEntry } from '#session/entry.js';
import { type Head, toHead } from '#session/heads/head.js';

/** Entries that are not in the file, or not in this form. */
export class AddedEntries {
  private readonly entries = new WeakMap<Head, Entry>();
  private count = 0;

  /** The entry of a head that was created here; undefined for any other. */
  find(head: Head): Entry | undefined {
    return this.entries.get(head);
  }

  /** Creates the head of a new entry. */
  add(entry: JsonObject): Head {
    this.count += 1;
    // Lines tell entries apart.
    return this.create(entry, { line: FIRST_NEW_LINE + this.count, offset: 0, length: 0, index: NOT_IN_FILE });
  }

  /** Creates the head of a recorded entry in another form. */
  replace(recorded: Head, entry: JsonObject): Head {
    return this.create(entry, recorded);
  }

  private create(entry: JsonObject, place: Pick<Head, 'line' | 'offset' | 'length' | 'index'>): Head {
    const { line, offset, length, index } = place;
    const head = { ...toHead(entry, { line, offset, length }), index };
    this.entries.set(head, toEntry(entry));
    return head;
  }
}

const NOT_IN_FILE = -1;

/** More lines than a file may have, even if it grows. */
const FIRST_NEW_LINE = 2 ** 32;
