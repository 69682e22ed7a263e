import type { JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { messageOfEntry } from '../replay/entry-message.js';
import { entryPreview } from './entry-text.js';
import { blocksOf, callText } from './message-text.js';

/** The number of entries between a result and its call to search: parallel calls have consecutive results. */
const MOST_STEPS = 256;

/** Formats entries for a listing. A tool result begins with its call: `read src/a.ts → import …`. */
export class EntryPreviews {
  private index = -1;
  private calls: ReadonlyMap<unknown, JsonObject> = new Map();

  constructor(private readonly session: Session) {}

  /** At most 240 characters of raw text: the printer escapes it and puts it on one line. */
  textOf(head: Head, entry: JsonObject = this.session.entry(head)): string {
    return entryPreview(entry, head.role === 'toolResult' ? this.callFor(head, entry) : null);
  }

  /** null for a result without an earlier call. */
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
