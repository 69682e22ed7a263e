import type { JsonObject } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { GrowingPath } from '#context/growing-path.js';
import { toLenient } from '#context/lenient.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { BaselineFreeContext } from '#context/replay/equality.js';
import type { Replay } from '#context/replay/replay.js';
import { copyHead, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

interface AddedTransform {
  readonly entry: JsonObject;
  /** `above`: between the entry and its parent. `instead`: replaces the entry. */
  readonly place: 'above' | 'instead';
}

/** Replays a path as it is and as it will be in the new file, entry by entry. */
export class LockstepReplay {
  private constructor(
    private readonly old: GrowingPath,
    private next: GrowingPath,
    /** The transforms of the new file, parsed. */
    private readonly transforms: Map<Head, JsonObject>,
    /** The place in the new file of each entry of the path. */
    private readonly places: number[] = [],
  ) {}

  static of(session: Session): LockstepReplay {
    const transforms = new Map<Head, JsonObject>();
    const entry = memoizeLast((head: Head) => session.entry(head));
    const converted: Session = { ...session, entry: (head) => transforms.get(head) ?? entry(head) };
    return new LockstepReplay(
      GrowingPath.begin(toLenient(attachPatchReader({ ...session, entry }))),
      GrowingPath.begin(toLenient(attachPatchReader(converted))),
      transforms,
    );
  }

  fork(): LockstepReplay {
    return new LockstepReplay(this.old.fork(), this.next.fork(), this.transforms, this.places.slice());
  }

  /** The path of the new file, to return to. */
  forkConverted(): GrowingPath {
    return this.next.fork();
  }

  /** Takes an entry that stays unchanged. */
  takeUnchanged(head: Head): void {
    this.takeOriginal(head);
    this.takeConverted(head, null);
  }

  takeOriginal(head: Head): void {
    this.old.take(head);
  }

  /** Takes the entry that `takeOriginal` took last, with the transform that belongs to it. */
  takeConverted(head: Head, conversion: AddedTransform | null): void {
    if (conversion) {
      const transform: Head = { ...copyHead(head), type: 'context_transform', role: null, index: head.index };
      this.transforms.set(transform, conversion.entry);
      this.next.take(transform);
    }
    this.places.push(this.next.length);
    if (conversion?.place !== 'instead') this.next.take(head);
  }

  /** Goes back to the place before the entry, and takes it with a transform. */
  retakeConverted(before: GrowingPath | null, head: Head, conversion: AddedTransform): void {
    if (before) this.next = before.fork();
    this.places.pop();
    this.takeConverted(head, conversion);
  }

  /** Forgets hidden messages before a place of the path, which cannot return. */
  forgetHidden(place: number): void {
    this.old.replay.forgetHidden(place);
    this.next.replay.forgetHidden(this.places[place] ?? Infinity);
  }

  originalContext(): BaselineFreeContext {
    return readContext(this.old.replay);
  }

  convertedContext(): BaselineFreeContext {
    return readContext(this.next.replay);
  }
}

function readContext(replay: Replay): BaselineFreeContext {
  return { messages: replay.content().messages.cached, declared: replay.declaredRegions() };
}
