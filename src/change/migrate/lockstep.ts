import type { JsonObject } from '#base/json.js';
import { onceFor } from '#base/once.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { Replay } from '#context/replay/replay.js';
import { type ContextWalk, walk } from '#context/walk.js';
import type { Session } from '#session/session.js';
import { copyOf, type Head } from '#session/table/head.js';
import type { Conversion } from './compactions.js';
import type { OpenContext } from './same-content.js';

/** Replays a path as it is and as it will be in the new file, entry by entry. */
export class Lockstep {
  private readonly path: Head[] = [];
  private readonly transforms = new Map<Head, JsonObject>();
  private readonly old: ContextWalk;
  private readonly next: ContextWalk;

  constructor(session: Session, path: readonly Head[]) {
    const options = { readPatch, lenient: true };
    const entry = onceFor((head: Head) => session.entry(head));
    this.old = walk({ ...session, entry }, path, options);
    const seen: Session = { ...session, entry: (head) => this.transforms.get(head) ?? entry(head) };
    this.next = walk(seen, this.path, options);
  }

  stepOriginal(): void {
    takeNext(this.old);
  }

  /** Takes in the entry that `stepOriginal` took last, with the transform that belongs to it. */
  stepConverted(head: Head, conversion: Conversion | null): void {
    if (conversion) {
      const transform: Head = { ...copyOf(head), type: 'context_transform', role: null, index: head.index };
      this.transforms.set(transform, conversion.entry);
      this.take(transform);
      if (conversion.place === 'instead') return;
    }
    this.take(head);
  }

  original(): OpenContext {
    return contextOf(this.old.replay);
  }

  converted(): OpenContext {
    return contextOf(this.next.replay);
  }

  private take(head: Head): void {
    this.path.push(head);
    takeNext(this.next);
  }
}

function takeNext({ steps }: ContextWalk): void {
  const { done, value } = steps.next();
  if (!done) value.take();
}

function contextOf(replay: Replay): OpenContext {
  return { messages: replay.content().messages.cached, declared: replay.declaredRegions() };
}
