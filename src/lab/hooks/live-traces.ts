import { readLiveExtensions } from '#context/replay/ctx-entries.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { DroppedMessages } from './dropped-messages.js';

/** The traces of hooks that ran in the agent, in the entries of a path. */
export class LiveTraces {
  /** The modules that ran in the agent so far: the recorded message is their result. */
  modules: ReadonlySet<string> = new Set();
  /** The entries whose messages hooks left out, by their indexes, with the hooks. */
  private readonly dropped = new Map<number, string>();
  private readonly drops = new DroppedMessages();

  /** Takes the next entry of the path. */
  take(session: Session, head: Head): void {
    if (head.type !== 'custom' && !this.drops.isWaiting) return;
    const entry = session.entry(head);
    const hook = this.drops.next(entry);
    if (hook !== null) this.dropped.set(head.index, hook);
    const inCharge = readLiveExtensions(entry);
    if (inCharge) this.modules = new Set(inCharge.hooks);
  }

  /** The hook that left out the message of an entry; null: the message was sent. */
  findDroppingHook({ index }: Head): string | null {
    return this.dropped.get(index) ?? null;
  }
}
