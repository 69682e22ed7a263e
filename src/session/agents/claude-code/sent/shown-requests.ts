import type { JsonObject } from '#base/json.js';
import { NONE } from '../../../heads/id-index.js';
import type { LineSpan } from '../../../scan/lines.js';
import type { ClaudeEntries, ClaudeEntry, SentMessage } from '../entries/entries.js';
import { RECORD_TYPE } from '../records/fields.js';
import { NO_MESSAGES } from '../records/message-lists.js';
import type { ClaudeRecords } from '../records/records.js';
import { type JoinedMessages, joinMessages } from './join-messages.js';
import { MessageFinder } from './message-finder.js';

/** A request whose messages are recorded. */
interface SentRequest {
  /** The entry before its answer. */
  readonly above: ClaudeEntry | null;
  /** The first line of its answer. */
  readonly line: number;
  /** The list of its messages. */
  readonly list: number;
}

/** The entries before an answer that are not known to show what was sent, and the list of messages before them. */
interface OpenEntries {
  readonly entries: readonly ClaudeEntry[];
  /** NONE if it is unknown. */
  readonly start: number;
}

/**
 * Makes the entries before an answer show the messages of its request, where the file records them: in their order, and
 * joined as they were sent.
 */
export class ShownRequests {
  /** Whether the messages of any request are not known. */
  isApproximate: boolean;
  /** The list of messages that was sent up to an entry; NONE within a message. */
  private readonly shownLists = new Map<ClaudeEntry, number>();
  /** The hash of the message whose last entry this is. */
  private readonly hashes = new Map<ClaudeEntry, number>();
  /** The messages that entries show, by hash. */
  private readonly shownMessages = new Map<number, SentMessage>();
  private readonly finder: MessageFinder;
  private stepsLeft: number;

  /** `valueOf`: the value of a line. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly entries: ClaudeEntries,
    private readonly valueOf: (span: LineSpan) => JsonObject,
  ) {
    this.isApproximate = records.requests.areCut;
    this.finder = new MessageFinder(records, this.valueAt);
    this.stepsLeft = MOST_STEPS + records.order.length;
  }

  /**
   * Shows the messages of the request of an answer, and returns the entry that the answer follows. `line`: the first
   * line of the answer. `above`: the entry before it.
   */
  showRequest(above: ClaudeEntry | null, line: number): ClaudeEntry | null {
    // The context that is repeated at the end of a file is no request.
    if (this.entries.areRepeated) return above;
    const list = this.records.requests.listOf(line);
    const end = list === NONE ? null : this.showMessages(this.findOpenEntries(above, list), { above, list, line });
    if (end) this.shownLists.set(end, list);
    else this.isApproximate = true;
    return end ?? above;
  }

  private findOpenEntries(above: ClaudeEntry | null, list: number): OpenEntries {
    const found: ClaudeEntry[] = [];
    for (let entry = above; this.stepsLeft > 0; entry = entry.parent) {
      this.stepsLeft -= 1;
      const start = this.findListAfter(entry, list);
      if (start !== null || entry === null) return { entries: found.toReversed(), start: start ?? NO_MESSAGES };
      found.push(entry);
    }
    return { entries: [], start: NONE };
  }

  /** The list of messages up to an entry, which should begin `list`; null if the entries before it decide that. */
  private findListAfter(entry: ClaudeEntry | null, list: number): number | null {
    if (entry === null) return NO_MESSAGES;
    const shown = this.shownLists.get(entry);
    if (shown !== undefined) return shown;
    switch (entry.form) {
      case 'answer':
      case 'local':
        return this.findListAfterAnswer(entry, list);
      case 'compaction':
        return this.findListAfterCompaction(entry);
      case 'reset':
        return NO_MESSAGES;
      case 'cleared':
      case 'branch':
        return NONE;
      default:
        return null;
    }
  }

  private findListAfterAnswer(answer: ClaudeEntry, list: number): number {
    const { requests } = this.records;
    const { lists } = requests;
    const before = answer.parent ? (this.shownLists.get(answer.parent) ?? NONE) : NONE;
    if (before === NONE) return NONE;
    const length = lists.lengthOf(before);
    if (lists.beginningOf(list, length) !== before || lists.lengthOf(list) === length) return NONE;
    const [next = 0] = lists.itemsFrom(lists.beginningOf(list, length + 1), length);
    // The client records an answer in full only if it sent another one, or before a compaction.
    if (!requests.blobs.has(next) && !this.hashes.has(answer)) this.noteAnswer(answer, next);
    return this.hashAnswer(answer) === next ? lists.append(before, next) : NONE;
  }

  private hashAnswer(answer: ClaudeEntry): number {
    return this.hashes.get(answer) ?? this.noteAnswer(answer, this.finder.hashLines(answer.lines, 'assistant'));
  }

  private noteAnswer(answer: ClaudeEntry, hash: number): number {
    return this.noteMessage({ hash, role: RECORD_TYPE.assistant, lines: answer.lines, entries: [answer] });
  }

  /** The summary and the messages that a compaction keeps. */
  private findListAfterCompaction(compaction: ClaudeEntry): number {
    const keptHashes: number[] = [];
    let entry = compaction.target ? compaction.parent : null;
    for (; entry && this.stepsLeft > 0; this.stepsLeft -= 1) {
      const isAnswer = entry.form === 'answer' || entry.form === 'local';
      const hash = isAnswer ? this.hashAnswer(entry) : this.hashes.get(entry);
      if (hash !== undefined) keptHashes.push(hash);
      entry = entry === compaction.target ? null : entry.parent;
    }
    const lines = [compaction.message];
    const hash = this.finder.hashLines(lines, 'user');
    const summary = this.noteMessage({ hash, role: RECORD_TYPE.user, lines, entries: [compaction] });
    return this.records.requests.lists.appendAll(NO_MESSAGES, [summary, ...keptHashes.toReversed()]);
  }

  /** Remembers the entries that show a message, and returns its hash. */
  private noteMessage(message: SentMessage): number {
    const last = message.entries.at(-1);
    if (last) this.hashes.set(last, message.hash);
    this.shownMessages.set(message.hash, message);
    return message.hash;
  }

  /** Makes entries show the messages of a request. Returns the last entry; null if the messages are not known. */
  private showMessages({ entries, start }: OpenEntries, request: SentRequest): ClaudeEntry | null {
    const { lists } = this.records.requests;
    const isContinued = start !== NONE && lists.beginningOf(request.list, lists.lengthOf(start)) === start;
    if (!isContinued) return this.restate(request);
    const hashes = lists.itemsFrom(request.list, lists.lengthOf(start));
    const sent = this.finder.findUserMessages(hashes, listUserLines(entries));
    const joined = sent && joinMessages(this.records, entries, sent, this.valueAt);
    if (!joined) return this.restate(request);
    for (const entry of entries) this.shownLists.set(entry, NONE);
    return this.showJoined(joined, request);
  }

  /** Changes the entries, and adds one for each text that has none. */
  private showJoined({ changes, messages }: JoinedMessages, { above, line }: SentRequest): ClaudeEntry | null {
    let end = above;
    let place = TEXT_PLACE;
    for (const [entry, change] of changes) this.entries.change(entry, change);
    for (const { message, results, text } of messages) {
      if (!text) {
        this.noteMessage({ ...message, entries: results });
        continue;
      }
      let { entry } = text;
      if (entry === null) {
        entry = this.entries.add(end, { form: text.form, record: line, place, lines: text.lines });
        end = entry;
      }
      place += 1;
      this.noteMessage({ ...message, entries: [...results, entry] });
    }
    return end;
  }

  /** Adds an entry that replaces all messages by those that were sent; null if one of them is not known. */
  private restate({ above, list, line }: SentRequest): ClaudeEntry | null {
    const { requests, fields } = this.records;
    const messages: SentMessage[] = [];
    let bytes = 0;
    for (const hash of requests.lists.itemsFrom(list, 0)) {
      const message = this.shownMessages.get(hash) ?? this.finder.findAnywhere(hash);
      for (const each of message?.lines ?? []) bytes += fields.offsetOf(each + 1) - fields.offsetOf(each);
      if (!message || bytes > MOST_BYTES) return null;
      messages.push(message);
    }
    return this.entries.restate(above, line, messages);
  }

  private readonly valueAt = (line: number): JsonObject => this.valueOf(this.records.fields.span(line));
}

/** The records of the user among entries, in file order. */
function listUserLines(entries: readonly ClaudeEntry[]): readonly number[] {
  const lines = entries.map(({ message }) => message).filter((line) => line !== NONE);
  return [...new Set(lines)].toSorted((a, b) => a - b);
}

/** The entries that are searched for what was sent, beside those of the file. */
const MOST_STEPS = 1_000_000;
/** The bytes of a request's lines. Anthropic accepts requests of 32 MB. */
const MOST_BYTES = 2 ** 26;
/** The place of a message without an entry of its own comes after those of a model and of a prompt. */
const TEXT_PLACE = 3;
