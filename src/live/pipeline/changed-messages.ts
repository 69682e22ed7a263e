import { type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage, readSummaryMessage, toLlmMessage } from '#context/replay/convert.js';
import { formatId, type Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import type { LiveBranch } from '../branch.js';

/** The message of an entry, and the entry with another one instead; null: it is left out. */
interface UnannouncedMessage {
  readonly message: JsonObject;
  with(message: JsonObject | null): JsonObject;
}

/**
 * The message of an entry for which Pi emits no `message_end`: the output of a command of the user, a summary, a message
 * that an extension appended. null: the entry has none.
 */
function readUnseen(entry: JsonObject): UnannouncedMessage | null {
  switch (entry.type) {
    case 'compaction':
      return { message: readSummaryMessage(entry), with: (other) => ({ ...entry, summary: other?.summary ?? '' }) };
    case 'branch_summary': {
      const message = readEntryMessage(entry);
      return message && { message, with: (other) => ({ ...entry, summary: other?.summary ?? '' }) };
    }
    case 'custom_message': {
      const message = readEntryMessage(entry);
      return message && { message, with: (other) => ({ ...entry, content: other?.content ?? [] }) };
    }
    case 'message': {
      const message = readEntryMessage(entry);
      if (message?.role !== 'bashExecution') return null;
      return { message, with: (other) => ({ ...entry, message: other ?? EMPTY }) };
    }
    default:
      return null;
  }
}

const EMPTY: JsonObject = { role: 'user', content: [] };

type Ask = (message: JsonObject) => Promise<JsonObject | 'dropped' | null>;

/**
 * The messages of a branch that message hooks have changed or left out, apart from those that Pi has already written
 * so.
 */
export class ChangedMessages {
  /** The messages by entry; null: the message is left out. */
  readonly sent = new Map<string | null, LlmMessage | null>();
  private readonly entries = new Map<number, JsonObject>();
  /** The messages of extensions that the hooks have seen, and that are not on the branch yet. */
  private readonly seen: string[] = [];
  private branch: LiveBranch | null = null;
  private next = 0;

  /** A message that the hooks see before Pi writes it. */
  note({ role, content }: JsonObject): void {
    if (role === 'custom') this.seen.push(JSON.stringify(content));
  }

  /** Asks the hooks about the messages that came without an event since the last call. */
  async look(branch: LiveBranch, ask: Ask): Promise<void> {
    if (this.branch !== branch) {
      this.sent.clear();
      this.entries.clear();
      this.branch = branch;
      this.next = 0;
    }
    const { path, session } = branch;
    // Messages of extensions before the last answer were in its request, where the hooks saw them.
    const answered = this.next === 0 ? path.findLastIndex(answersRequest) : -1;
    for (; this.next < path.length; this.next += 1) {
      const head = path[this.next];
      const unseen = head && mayBeUnseen(head) ? readUnseen(session.entry(head)) : null;
      if (!head || !unseen || toLlmMessage(unseen.message) === null) continue;
      const isKnown = head.type === 'custom_message' && (this.next < answered || this.takeSeen(unseen.message));
      const after = isKnown ? null : await ask(unseen.message);
      if (after === null) continue;
      const message = after === 'dropped' ? null : after;
      this.sent.set(formatId(head.id), message && toLlmMessage(message));
      this.entries.set(head.index, unseen.with(message));
    }
  }

  /** The entry of a head as the hooks have left it. */
  entry(head: Head, entry: JsonObject): JsonObject {
    return this.entries.get(head.index) ?? entry;
  }

  private takeSeen({ content }: JsonObject): boolean {
    const at = this.seen.indexOf(JSON.stringify(content));
    if (at !== -1) this.seen.splice(at, 1);
    return at !== -1;
  }
}

function mayBeUnseen({ type, role }: Head): boolean {
  return type === 'message' ? role === 'bashExecution' : UNSEEN_TYPES.has(type);
}

const UNSEEN_TYPES: ReadonlySet<string | null> = new Set(['compaction', 'branch_summary', 'custom_message']);
