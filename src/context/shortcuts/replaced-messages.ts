import { listObjects } from '#base/json.js';
import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { OpenSession } from '../open.js';
import type { PatchOp } from '../replay/patch-op.js';

/** A transform that replaces all messages, parsed. */
interface Replacement {
  readonly index: number;
  readonly entry: Entry;
  /** The times of its messages; null if it may use the replaced ones in another way. */
  readonly times: ReadonlySet<unknown> | null;
}

/**
 * Finds the messages of a path that the next transform replaces and does not keep: they need not be parsed. A transform
 * keeps a message only by an equal one with its time, so the heads of the session must have times.
 */
export class ReplacedMessages {
  /** The places of the transforms, the next one last; none if an edit or a compaction may use earlier messages. */
  private readonly transforms: number[] = [];
  private next: Replacement | null = null;

  constructor(
    private readonly session: OpenSession,
    private readonly path: readonly Head[],
  ) {
    if (!session.hasMessageTimes) return;
    for (let index = path.length - 1; index >= 0; index -= 1) {
      const type = path[index]?.type;
      if (type === 'context_transform') this.transforms.push(index);
      if (type !== 'context_edit' && type !== 'compaction') continue;
      this.transforms.length = 0;
      return;
    }
  }

  /** Call it for the places of the path in order. */
  includes(head: Head, index: number): boolean {
    if (head.type !== 'message' || !PLAIN_ROLES.has(head.role) || Number.isNaN(head.time)) return false;
    const times = this.findNextAfter(index)?.times;
    return times ? !times.has(head.time) : false;
  }

  /** The entry of a transform that was parsed for this. */
  findParsed(index: number): Entry | null {
    return this.next?.index === index ? this.next.entry : null;
  }

  /** The next transform that changes messages. */
  private findNextAfter(index: number): Replacement | null {
    while (this.next === null || this.next.index <= index) {
      const place = this.transforms.pop();
      const head = place === undefined ? undefined : this.path[place];
      if (place === undefined || !head) return null;
      const entry = this.session.entry(head);
      const steps = this.session.readPatch(entry).filter((step) => !step.ok || step.region === 'messages');
      if (steps.length > 0) this.next = { index: place, entry, times: listTimes(steps) };
    }
    return this.next;
  }
}

/** Roles whose messages are sent as they are. */
const PLAIN_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

function listTimes([step, ...others]: readonly PatchOp[]): ReadonlySet<unknown> | null {
  if (!step?.ok || !step.replacesRegion || others.length > 0) return null;
  return new Set(listObjects(step.json.messages).map(({ timestamp }) => timestamp));
}
