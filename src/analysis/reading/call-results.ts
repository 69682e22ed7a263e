import { addTo } from '#base/maps.js';
import { type Entry, messageOf } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { startsTurn } from '#session/tree/turns.js';

/** An entry that was read. */
export interface ReadEntry {
  readonly head: Head;
  readonly entry: Entry;
}

/** The entries after a call in which its result is searched for: calls of several answers may come before theirs. */
const MOST_STEPS = 256;

/** Finds the results of calls among entries that are read in their order. Each entry is read ahead once at most. */
export class CallResults {
  /** Results that were read ahead, by the id of their call. */
  private readonly waiting = new Map<unknown, ReadEntry[]>();
  private readonly given = new Set<number>();
  private at = 0;
  private ahead = 0;

  /** `order`: the entries in the order of reading, as indexes of the file. */
  constructor(
    private readonly session: Session,
    private readonly order: ArrayLike<number>,
  ) {}

  /** Goes on to an entry. Returns false for a result that a call was given before. */
  goTo({ index }: Head): boolean {
    while (this.at < this.order.length && this.order[this.at] !== index) this.at += 1;
    this.ahead = Math.max(this.ahead, this.at + 1);
    return !this.given.has(index);
  }

  /** Takes the result of a call of the present entry; null if it has none before the next turn. */
  take(callId: unknown): ReadEntry | null {
    const last = Math.min(this.order.length, this.at + 1 + MOST_STEPS);
    while (!this.waiting.has(callId) && this.ahead < last) {
      const head = this.session.tree.heads.at(this.order[this.ahead] ?? -1);
      if (!head || startsTurn(head)) break;
      this.ahead += 1;
      if (head.role === 'toolResult') this.keep(head);
    }
    const [found, ...others] = this.waiting.get(callId) ?? [];
    if (!found) return null;
    if (others.length === 0) this.waiting.delete(callId);
    else this.waiting.set(callId, others);
    this.given.add(found.head.index);
    return found;
  }

  private keep(head: Head): void {
    const entry = this.session.entry(head);
    addTo(this.waiting, messageOf(entry)?.toolCallId, { head, entry });
  }
}
