import type { JsonObject } from '#base/json.js';
import { NONE } from '../../../heads/id-index.js';
import type { LineSpan } from '../../../scan/lines.js';
import { contentOf } from '../content/content.js';
import type { ClaudeEntries, ClaudeEntry, Piece } from '../entries/entries.js';
import { CLAUDE_FIELD, RECORD_TYPE } from '../records/fields.js';
import { EMPTY } from '../records/message-lists.js';
import type { ClaudeRecords } from '../records/records.js';
import { type JoinedMessages, joinMessages } from './join-messages.js';
import { MessageHash } from './message-hash.js';

/** A request whose messages are recorded. */
interface SentRequest {
  /** The entry before its answer. */
  readonly above: ClaudeEntry | null;
  /** The first line of its answer. */
  readonly line: number;
  readonly list: number;
}

/** The entries before an answer that are not known to show what was sent, and the list of messages before them. */
interface Segment {
  readonly entries: readonly ClaudeEntry[];
  /** NONE if it is unknown. */
  readonly start: number;
}

/**
 * Makes the entries before an answer show the messages of its request, where the file records them: in their order, and
 * joined as they were sent.
 */
export class SentPieces {
  /** Whether the messages of any request are not known. */
  isApproximate: boolean;
  /** The list of messages that was sent up to an entry; NONE within a message. */
  private readonly shown = new Map<ClaudeEntry, number>();
  /** The message whose last entry this is. */
  private readonly hashes = new Map<ClaudeEntry, number>();
  private readonly pieces = new Map<number, Piece>();
  private stepsLeft: number;
  /** All messages that follow from lines of the conversation: found when one is needed. */
  private runs: ReadonlyMap<number, Piece> | null = null;

  /** `valueOf`: the value of a line. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly entries: ClaudeEntries,
    private readonly valueOf: (span: LineSpan) => JsonObject,
  ) {
    this.isApproximate = records.requests.areCut;
    this.stepsLeft = MOST_STEPS + records.order.length;
  }

  /** Returns the entry that an answer follows. `line`: its first line. `above`: the entry before it. */
  before(above: ClaudeEntry | null, line: number): ClaudeEntry | null {
    // The context that is repeated at the end of a file is no request.
    if (this.entries.areRepeated) return above;
    const list = this.records.requests.listOf(line);
    const segment = list === NONE ? null : this.findSegment(above, list);
    const end = segment && this.showMessages(segment, { above, list, line });
    if (end) this.shown.set(end, list);
    else this.isApproximate = true;
    return end ?? above;
  }

  private findSegment(above: ClaudeEntry | null, list: number): Segment {
    const found: ClaudeEntry[] = [];
    for (let entry = above; this.stepsLeft > 0; entry = entry.parent) {
      this.stepsLeft -= 1;
      const start = this.findListAfter(entry, list);
      if (start !== null || entry === null) return { entries: found.toReversed(), start: start ?? EMPTY };
      found.push(entry);
    }
    return { entries: [], start: NONE };
  }

  /** The list of messages up to an entry, which should begin `list`; null if the entries before it decide that. */
  private findListAfter(entry: ClaudeEntry | null, list: number): number | null {
    if (entry === null) return EMPTY;
    const shown = this.shown.get(entry);
    if (shown !== undefined) return shown;
    switch (entry.form) {
      case 'answer':
      case 'local':
        return this.findListAfterAnswer(entry, list);
      case 'compaction':
        return this.findListAfterCompaction(entry);
      case 'reset':
        return EMPTY;
      case 'cleared':
        return NONE;
      default:
        return null;
    }
  }

  private findListAfterAnswer(answer: ClaudeEntry, list: number): number {
    const { requests } = this.records;
    const { lists } = requests;
    const before = answer.parent ? (this.shown.get(answer.parent) ?? NONE) : NONE;
    if (before === NONE) return NONE;
    const depth = lists.depth(before);
    if (lists.beginning(list, depth) !== before || lists.depth(list) === depth) return NONE;
    const [next = 0] = lists.after(lists.beginning(list, depth + 1), depth);
    // The client records an answer in full only if it sent another one, or before a compaction.
    if (!requests.blobs.has(next) && !this.hashes.has(answer)) this.showAnswer(answer, next);
    return this.hashAnswer(answer) === next ? lists.with(before, next) : NONE;
  }

  private hashAnswer(answer: ClaudeEntry): number {
    return this.hashes.get(answer) ?? this.showAnswer(answer, this.hashLines(answer.lines, 'assistant'));
  }

  private showAnswer(answer: ClaudeEntry, hash: number): number {
    return this.show({ hash, role: RECORD_TYPE.assistant, lines: answer.lines, entries: [answer] });
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
    const hash = this.hashLines(lines, 'user');
    const summary = this.show({ hash, role: RECORD_TYPE.user, lines, entries: [compaction] });
    return this.records.requests.lists.extended(EMPTY, [summary, ...keptHashes.toReversed()]);
  }

  /** Remembers the entries that show a message, and returns its hash. */
  private show(piece: Piece): number {
    const last = piece.entries.at(-1);
    if (last) this.hashes.set(last, piece.hash);
    this.pieces.set(piece.hash, piece);
    return piece.hash;
  }

  /** Makes entries show the messages of a request. Returns the last entry; null if the messages are not known. */
  private showMessages({ entries, start }: Segment, request: SentRequest): ClaudeEntry | null {
    const { lists } = this.records.requests;
    const isContinued = start !== NONE && lists.beginning(request.list, lists.depth(start)) === start;
    const sent = isContinued ? this.findPieces(lists.after(request.list, lists.depth(start)), entries) : null;
    const joined = sent && joinMessages(this.records, entries, sent, this.valueAt);
    if (!joined) return this.restate(request);
    for (const entry of entries) this.shown.set(entry, NONE);
    return this.showJoined(joined, request);
  }

  /** Changes the entries, and adds one for each text that has none. */
  private showJoined({ changes, messages }: JoinedMessages, { above, line }: SentRequest): ClaudeEntry | null {
    let end = above;
    let place = TEXT_PLACE;
    for (const [entry, change] of changes) this.entries.change(entry, change);
    for (const { piece, results, text } of messages) {
      if (!text) {
        this.show({ ...piece, entries: results });
        continue;
      }
      let { entry } = text;
      if (entry === null) {
        entry = this.entries.add(end, { form: text.form, record: line, place, lines: text.lines });
        end = entry;
      }
      place += 1;
      this.show({ ...piece, entries: [...results, entry] });
    }
    return end;
  }

  /** The messages of the user and of the system after the last answer; null if any other one was sent. */
  private findPieces(hashes: readonly number[], entries: readonly ClaudeEntry[]): readonly Piece[] | null {
    let rest = listUserLines(entries);
    const isSure = this.isSure(hashes, rest);
    const found: Piece[] = [];
    for (const hash of hashes) {
      const blob = this.findBlob(hash);
      const lines = blob ? blob.lines : this.findRun(hash, rest, isSure);
      if (!lines || blob?.role === RECORD_TYPE.assistant) return null;
      if (!blob) rest = rest.slice(lines.length);
      found.push(blob ?? { hash, role: RECORD_TYPE.user, lines, entries: [] });
    }
    return found;
  }

  /** A message that is recorded in full. */
  private findBlob(hash: number): Piece | null {
    const { fields, requests } = this.records;
    const line = requests.blobs.get(hash);
    return line === undefined
      ? null
      : { hash, role: fields.textAt(line, CLAUDE_FIELD.messageRole), lines: [line], entries: [] };
  }

  /** Whether one message has all records of the user: the only one, or all results of an answer. */
  private isSure(hashes: readonly number[], lines: readonly number[]): boolean {
    const ofUser = hashes.filter((hash) => (this.findBlob(hash)?.role ?? RECORD_TYPE.user) === RECORD_TYPE.user);
    const isOne = ofUser.length === 1 && ofUser.every((hash) => !this.records.requests.blobs.has(hash));
    return isOne && (lines.length === 1 || lines.every((line) => !this.records.blocks.hasOther(line)));
  }

  /** Finds the lines that form a message: all of `lines`, or only the first one. */
  private findRun(hash: number, lines: readonly number[], isSure: boolean): readonly number[] | null {
    if (lines.length === 0) return null;
    if (isSure) return lines;
    const first = lines.slice(0, 1);
    if (this.hashLines(first, 'user') === hash) return first;
    return lines.length <= MOST_LINES && this.hashLines(lines, 'user') === hash ? lines : null;
  }

  /** Adds an entry that replaces all messages by those that were sent; null if one of them is not known. */
  private restate({ above, list, line }: SentRequest): ClaudeEntry | null {
    const { requests, fields } = this.records;
    const pieces: Piece[] = [];
    let bytes = 0;
    for (const hash of requests.lists.after(list, 0)) {
      const piece = this.pieces.get(hash) ?? this.findBlob(hash) ?? (this.runs ??= this.findRuns()).get(hash);
      for (const each of piece?.lines ?? []) bytes += fields.offsetOf(each + 1) - fields.offsetOf(each);
      if (!piece || bytes > MOST_BYTES) return null;
      pieces.push(piece);
    }
    return this.entries.restate(above, line, pieces);
  }

  /** The messages of lines of the conversation: an answer, or records of the user that follow each other. */
  private findRuns(): ReadonlyMap<number, Piece> {
    const { records } = this;
    const found = new Map<number, Piece>();
    let run: readonly number[] = [];
    let digest = new MessageHash();
    const isNext = (line: number): boolean => {
      const [first = NONE] = run;
      return (
        first !== NONE && records.types[first] === records.types[line] && records.answer(first) === records.answer(line)
      );
    };
    for (const line of records.order) {
      if (records.effects.boundaries.has(line)) run = [];
      if (!records.isMessage(line)) continue;
      if (!isNext(line)) {
        run = [];
        digest = new MessageHash();
      }
      if (run.length === MOST_LINES) continue;
      run = [...run, line];
      const role = records.types[line] ?? 0;
      const hash = records.fields.intern(digest.add(this.contentAt(line)).of(records.fields.text(role)));
      found.set(hash, { hash, role, lines: run, entries: [] });
    }
    return found;
  }

  /** The number of the hash of a message of lines. */
  private hashLines(lines: readonly number[], role: string): number {
    const hash = new MessageHash();
    for (const line of lines) hash.add(this.contentAt(line));
    return this.records.fields.intern(hash.of(role));
  }

  private contentAt(line: number): unknown {
    return contentOf(this.valueAt(line));
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
/** The lines of a message of the user. */
const MOST_LINES = 100;
/** The place of a message without an entry of its own comes after those of a model and of a prompt. */
const TEXT_PLACE = 3;
