import type { JsonObject } from '#base/json.js';
import { NONE } from '../../../heads/id-index.js';
import { contentOf } from '../content/content.js';
import type { SentMessage } from '../entries/entries.js';
import { CLAUDE_FIELD, RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import { MessageHash } from './message-hash.js';

/** Finds the lines of the file that form a message of a request, whose hash the request records. */
export class MessageFinder {
  /** All messages that follow from lines of the conversation, by hash: found when one is needed. */
  private ofConversation: ReadonlyMap<number, SentMessage> | null = null;

  /** `valueAt`: the value of a line. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly valueAt: (line: number) => JsonObject,
  ) {}

  /**
   * Finds the messages of the user and of the system that were sent after an answer; null if any other one was sent.
   * `lines`: the records of the user after that answer, in file order.
   */
  findUserMessages(hashes: readonly number[], lines: readonly number[]): readonly SentMessage[] | null {
    const isSure = this.isOneMessage(hashes, lines);
    const found: SentMessage[] = [];
    let rest = lines;
    for (const hash of hashes) {
      const recorded = this.findRecorded(hash);
      if (recorded?.role === RECORD_TYPE.assistant) return null;
      if (recorded) {
        found.push(recorded);
        continue;
      }
      const own = isSure && rest.length > 0 ? rest : this.findFirstLines(hash, rest);
      if (!own) return null;
      rest = rest.slice(own.length);
      found.push({ hash, role: RECORD_TYPE.user, lines: own, entries: [] });
    }
    return found;
  }

  /** Finds a message that is recorded in full, or that follows from lines of the conversation. */
  findAnywhere(hash: number): SentMessage | undefined {
    const recorded = this.findRecorded(hash);
    if (recorded) return recorded;
    this.ofConversation ??= this.listOfConversation();
    return this.ofConversation.get(hash);
  }

  /** The number of the hash of a message of lines. */
  hashLines(lines: readonly number[], role: string): number {
    const hash = new MessageHash();
    for (const line of lines) hash.add(this.contentAt(line));
    return this.records.fields.intern(hash.of(role));
  }

  /** Finds a message that is recorded in full. */
  private findRecorded(hash: number): SentMessage | undefined {
    const { fields, requests } = this.records;
    const line = requests.blobs.get(hash);
    if (line === undefined) return undefined;
    return { hash, role: fields.textAt(line, CLAUDE_FIELD.messageRole), lines: [line], entries: [] };
  }

  /**
   * Whether one message surely has all of these records of the user, so that its hash need not be computed: it is the
   * only one, and has one record or only the results of an answer.
   */
  private isOneMessage(hashes: readonly number[], lines: readonly number[]): boolean {
    const ofUser = hashes.filter((hash) => (this.findRecorded(hash)?.role ?? RECORD_TYPE.user) === RECORD_TYPE.user);
    const isOnlyOne = ofUser.length === 1 && ofUser.every((hash) => !this.records.requests.blobs.has(hash));
    return isOnlyOne && (lines.length === 1 || lines.every((line) => !this.records.blocks.hasMoreThanResults(line)));
  }

  /** Finds which of `lines` form a message: the first one alone, or all of them; null if neither do. */
  private findFirstLines(hash: number, lines: readonly number[]): readonly number[] | null {
    if (lines.length === 0) return null;
    const first = lines.slice(0, 1);
    if (this.hashLines(first, 'user') === hash) return first;
    return lines.length <= MOST_LINES && this.hashLines(lines, 'user') === hash ? lines : null;
  }

  /** The messages of lines of the conversation: an answer, or records of the user that follow each other. */
  private listOfConversation(): ReadonlyMap<number, SentMessage> {
    const { records } = this;
    const found = new Map<number, SentMessage>();
    let lines: readonly number[] = [];
    let digest = new MessageHash();
    for (const line of records.order) {
      if (records.effects.boundaries.has(line)) lines = [];
      if (!records.isMessage(line)) continue;
      if (!this.isOfSameMessage(lines[0] ?? NONE, line)) {
        lines = [];
        digest = new MessageHash();
      }
      if (lines.length === MOST_LINES) continue;
      lines = [...lines, line];
      const role = records.types[line] ?? 0;
      const hash = records.fields.intern(digest.add(this.contentAt(line)).of(records.fields.text(role)));
      found.set(hash, { hash, role, lines, entries: [] });
    }
    return found;
  }

  private isOfSameMessage(first: number, line: number): boolean {
    const { records } = this;
    if (first === NONE || records.types[first] !== records.types[line]) return false;
    return records.answerId(first) === records.answerId(line);
  }

  private contentAt(line: number): unknown {
    return contentOf(this.valueAt(line));
  }
}

/** The lines of a message of the user. Longer ones are not searched for: each more line is another hash. */
const MOST_LINES = 100;
