import type { JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { messageOfEntry } from '../replay/entry-message.js';
import { entryPreview } from './entry-text.js';
import { blocksOf, callText } from './message-text.js';

/** Entries between a result and its call that are looked at: parallel calls have their results in a row. */
const MOST_STEPS = 256;

/** The entries of a session as lines of a listing. A tool result begins with the call that it answers: `read src/a.ts → import …`. */
export class EntryPreviews {
  private index = -1;
  private calls: ReadonlyMap<unknown, JsonObject> = new Map();

  constructor(private readonly session: Session) {}

  /** At most 240 characters of raw text: the printer makes it one safe line. */
  textOf(head: Head, entry: JsonObject = this.session.entry(head)): string {
    return entryPreview(entry, head.role === 'toolResult' ? this.callFor(head, entry) : null);
  }

  /** null for a result without a call above it. */
  private callFor(head: Head, entry: JsonObject): string | null {
    const call = this.find(head.index, messageOfEntry(entry)?.['toolCallId']);
    return call && callText(call, this.session.header.cwd ?? '');
  }

  private find(from: number, id: unknown): JsonObject | null {
    const { heads } = this.session.tree;
    let index = heads.parentAt(from);
    for (let step = 0; step < MOST_STEPS && index >= 0; step += 1, index = heads.parentAt(index)) {
      const role = heads.roleAt(index);
      // One entry is parsed at most: what calls nothing there has no call.
      if (role === 'assistant') return this.callsAt(index).get(id) ?? null;
      if (role === 'user') return null;
    }
    return null;
  }

  private callsAt(index: number): ReadonlyMap<unknown, JsonObject> {
    if (index === this.index) return this.calls;
    const head = this.session.tree.heads.at(index);
    const message = head && messageOfEntry(this.session.entry(head));
    this.index = index;
    this.calls = new Map(blocksOf(message ?? {}).flatMap((block) => (isCall(block) ? [[block['id'], block]] : [])));
    return this.calls;
  }
}

function isCall({ type }: JsonObject): boolean {
  return type === 'toolCall';
}
