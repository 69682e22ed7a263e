import type { JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import { Replay } from '#context/replay/replay.js';
import type { Session } from '#session/session.js';
import { copyOf, type Head } from '#session/table/head.js';
import type { Conversion } from './compactions.js';
import type { OpenContext } from './same-content.js';

/** Replays a path as it is and as it will be in the new file, entry by entry. */
export class Lockstep {
  private readonly path: Head[] = [];
  private readonly transforms = new Map<Head, JsonObject>();
  private readonly old: Replay;
  private readonly next: Replay;
  private entry: JsonObject = {};
  private passed = 0;

  constructor(
    private readonly session: Session,
    path: readonly Head[],
  ) {
    const options = { readPatch, baseline: {}, lenient: true };
    this.old = new Replay(session, path, options);
    const seen: Session = { ...session, entry: (head) => this.transforms.get(head) ?? session.entry(head) };
    this.next = new Replay(seen, this.path, options);
  }

  stepOriginal(head: Head): void {
    this.entry = this.session.entry(head);
    this.old.step(head, this.passed, this.entry);
    this.passed += 1;
  }

  /** Takes in the entry that `stepOriginal` was given last, with the transform that belongs to it. */
  stepConverted(head: Head, conversion: Conversion | null): void {
    if (conversion) {
      const transform: Head = { ...copyOf(head), type: 'context_transform', role: null, index: head.index };
      this.transforms.set(transform, conversion.entry);
      this.take(transform, conversion.entry);
      if (conversion.place === 'instead') return;
    }
    this.take(head, this.entry);
  }

  original(): OpenContext {
    return contextOf(this.old);
  }

  converted(): OpenContext {
    return contextOf(this.next);
  }

  private take(head: Head, entry: JsonObject): void {
    this.path.push(head);
    this.next.step(head, this.path.length - 1, entry);
  }
}

function contextOf(replay: Replay): OpenContext {
  return { messages: replay.content().messages.cached, declared: replay.declaredRegions() };
}
