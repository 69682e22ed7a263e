import { asString, type JsonObject } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { NONE } from '../../../heads/id-index.js';
import type { LineSpan } from '../../../scan/lines.js';
import { contentOf } from '../content/content.js';
import { CLAUDE_FIELD, KNOWN_TEXT, RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';

/** Words of the user that a request had: the line that queued them, and the one that took them out of the queue. */
export interface QueuedLines {
  readonly queued: number;
  readonly taken: number;
}

/** Words in the queue. */
interface Waiting {
  readonly line: number;
  readonly text: string;
}

/**
 * The words that the user typed while the agent worked, in versions that record only the queue and not its words in the
 * conversation, such as 2.1.39: words that are removed from the queue were sent with the next request. Words that are
 * taken off it otherwise are a message of the user, or were edited by the user.
 */
export class QueuedWords {
  /** The words from the queue, by the first line of the answer to their request. */
  private readonly byAnswer = new Map<number, QueuedLines[]>();
  private waiting: Waiting[] = [];

  /** `valueOf`: the value of a line. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly valueOf: (span: LineSpan) => JsonObject,
  ) {
    const { fields, others } = records;
    const lines = others.filter((line) => fields.textAt(line, CLAUDE_FIELD.type) === KNOWN_TEXT.queueOperation);
    const operations = lines.map((line) => fields.textAt(line, CLAUDE_FIELD.operation));
    if (operations.includes(KNOWN_TEXT.remove)) this.follow(lines, operations);
  }

  /** The words that the request of an answer had, by the first line of the answer. */
  listBefore(line: number): readonly QueuedLines[] {
    return this.byAnswer.get(line) ?? NO_WORDS;
  }

  /** Carries out the operations of the queue. `lines`: the line of each. */
  private follow(lines: readonly number[], operations: readonly number[]): void {
    const withWords = this.listVersionsWithWords();
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at] ?? NONE;
      switch (operations[at]) {
        case KNOWN_TEXT.enqueue:
          this.enqueue(line);
          break;
        case KNOWN_TEXT.dequeue:
          this.dequeue(line);
          break;
        case KNOWN_TEXT.remove: {
          // Operations that follow each other remove words together, which one request then has.
          const first = at;
          while (operations[at + 1] === KNOWN_TEXT.remove) at += 1;
          if (!withWords.has(this.findVersionAt(line))) this.remove(lines.slice(first, at + 1));
          break;
        }
        default:
          this.waiting = [];
      }
    }
  }

  /** The versions that record the words of the queue as attachments of the conversation. */
  private listVersionsWithWords(): ReadonlySet<number> {
    const { fields, order, types } = this.records;
    const versions = new Set<number>();
    for (const line of order) {
      if (types[line] === RECORD_TYPE.attachment) versions.add(fields.textAt(line, CLAUDE_FIELD.version));
    }
    return versions;
  }

  /** The version of the client that wrote a line, from the nearest record above with one; 0 if there is none. */
  private findVersionAt(line: number): number {
    const { fields } = this.records;
    for (let above = line; above >= Math.max(0, line - NEAR); above -= 1) {
      const version = fields.textAt(above, CLAUDE_FIELD.version);
      if (version !== 0) return version;
    }
    return 0;
  }

  private enqueue(line: number): void {
    const text = asString(this.valueAt(line)['content']) ?? '';
    if (text !== '' && !text.startsWith(NOTIFICATION)) this.waiting.push({ line, text });
  }

  /** The first words of the queue become a message of the user, which the file records. */
  private dequeue(line: number): void {
    const { waiting } = this;
    const words = this.findNextWords(line);
    const at = waiting.findIndex(({ text }) => text === words);
    waiting.splice(Math.max(0, at), 1);
  }

  /** The newest words of the queue are sent with the next request. */
  private remove(lines: readonly number[]): void {
    const taken = this.waiting.splice(Math.max(0, this.waiting.length - lines.length));
    for (const [at, { line, text }] of taken.entries()) {
      const removed = lines[at] ?? NONE;
      const answer = this.findNextAnswer(removed);
      const isSent = answer !== NONE && !COMMAND.test(text) && this.findNextWords(removed, answer) !== text;
      if (isSent) addTo(this.byAnswer, answer, { queued: line, taken: removed });
    }
  }

  /** The first line of the next answer of a provider; NONE if there is none. */
  private findNextAnswer(line: number): number {
    const { records } = this;
    const id = this.findAnswerBefore(line);
    for (let next = line + 1; next < records.types.length; next += 1) {
      if (records.isProviderAnswer(next) && records.main[next] === 1 && records.answerId(next) !== id) return next;
    }
    return NONE;
  }

  /** The id of the answer that has begun at a line: its later lines belong to an earlier request. */
  private findAnswerBefore(line: number): number {
    const { records } = this;
    for (let above = line; above >= Math.max(0, line - NEAR); above -= 1) {
      if (records.isProviderAnswer(above) && records.main[above] === 1) return records.answerId(above);
    }
    return NONE;
  }

  /** The text of the next message of the user before a line; null if there is none near. */
  private findNextWords(line: number, end = Infinity): string | null {
    const { records } = this;
    const last = Math.min(end, line + NEAR, records.types.length);
    for (let next = line + 1; next < last; next += 1)
      if (
        records.types[next] === RECORD_TYPE.user &&
        records.main[next] === 1 &&
        records.blocks.hasMoreThanResults(next)
      )
        return asString(contentOf(this.valueAt(next)));
    return null;
  }

  private valueAt(line: number): JsonObject {
    return this.valueOf(this.records.fields.span(line));
  }
}

const NO_WORDS: readonly QueuedLines[] = [];

/** The lines that are searched for what belongs to one of the queue. */
const NEAR = 100;

/** A command of the client, which it carries out once the turn has ended. The path of a file does not match. */
const COMMAND = /^\/[a-z][\w:-]*(?:\s|$)/i;

/** Begins words of the client in the queue: those of a task that ended. */
const NOTIFICATION = '<task-notification>';
