import type { JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { KNOWN_TEXT, RECORD_TYPE } from './fields.js';
import { NONE } from './links.js';
import { Nodes } from './nodes.js';
import { QueuedWords } from './queue.js';
import type { ClaudeRecords } from './records.js';
import { SentPieces } from './sent.js';

/** A boundary with its summary and what it keeps. */
export interface CompactionLines {
  readonly boundary: number;
  /** NONE if there is none. */
  readonly summary: number;
  /** The records that it keeps, in order. */
  readonly kept: readonly number[];
}

/** Writes the entries of records. */
export class Writer {
  readonly nodes: Nodes;
  private readonly queue: QueuedWords;
  private readonly first: Int32Array;
  /** The entries of results, by call; plus 1. */
  private readonly results: Int32Array;
  /** The newest answer whose call has an id that no answer above it used, by call; plus 1. */
  private readonly callers: Int32Array;
  /** The records with calls, or results of calls, that the client leaves out of requests. */
  readonly leftOut: number[] = [];
  private stepsLeft: number;
  /** The messages that were sent; null for a file that does not record them. */
  readonly sent: SentPieces | null;

  /** `valueOf`: the value of a line. */
  constructor(
    private readonly records: ClaudeRecords,
    valueOf: (span: LineSpan) => JsonObject,
  ) {
    this.nodes = new Nodes(records);
    this.queue = new QueuedWords(records, valueOf);
    this.sent = records.requests.areRecorded ? new SentPieces(records, this.nodes, valueOf) : null;
    this.first = new Int32Array(records.types.length).fill(NONE);
    this.results = new Int32Array(records.table.texts + 1);
    this.callers = new Int32Array(records.table.texts + 1);
    this.stepsLeft = MOST_STEPS + records.order.length;
  }

  /** The first entry of a record. */
  firstOf(record: number): number {
    return this.first[record] ?? NONE;
  }

  /** Adds the title of the session, before all other entries; NONE if there is none. */
  writeTitle(): number {
    const { title, order } = this.records;
    const [first] = order;
    if (!title || first === undefined) return NONE;
    return this.nodes.add(NONE, { making: 'title', record: first, place: 1, lines: [title.line] });
  }

  /**
   * Adds the entries of a record after an entry, and returns the last one; NONE for a record without entries. `lines`:
   * all lines of its answer.
   */
  write(parent: number, record: number, lines?: readonly number[]): number {
    const type = this.records.types[record];
    if (type === RECORD_TYPE.assistant) return this.writeAnswer(parent, record, lines);
    if (type === RECORD_TYPE.user) return this.writeUser(parent, record);
    if (this.records.isLocalCommand(record)) return this.nodes.add(parent, { making: 'command', record });
    const isAttachment = type === RECORD_TYPE.attachment && !this.records.cleared.has(record);
    return isAttachment ? this.writeAttachment(parent, record) : this.clear(parent, record);
  }

  /** Adds a compaction that keeps the entries from `kept` on, or nothing. */
  compact(parent: number, { boundary, summary }: CompactionLines, kept: number): number {
    if (summary === NONE) return this.reset(parent, boundary);
    const { nodes } = this;
    const target = kept === NONE ? nodes.length : kept;
    const lines = [boundary, summary];
    const node = nodes.add(parent, { making: 'compaction', record: boundary, lines, message: summary, target });
    nodes.resets.set(node, kept);
    this.first[summary] = node;
    return node;
  }

  /** Adds a transform that removes all messages. Not named compaction, for which the next one would be its shadow. */
  reset(parent: number, record: number): number {
    const node = this.nodes.add(parent, { making: 'reset', record });
    this.nodes.resets.set(node, NONE);
    return node;
  }

  private writeAnswer(parent: number, given: number, lines: readonly number[] = [given]): number {
    const { nodes, records } = this;
    const record = lines[0] ?? given;
    const model = records.model(record);
    const isAnswer = records.isAnswer(record);
    const asked = isAnswer ? this.writeQueued(parent, record) : parent;
    const isOther = isAnswer && (asked === NONE || model !== nodes.model(asked));
    const named = isOther ? nodes.add(asked, { making: 'model', record, place: 1, model }) : asked;
    const shaped = isAnswer ? this.shaped(named, record) : named;
    const above = isAnswer && this.sent ? this.sent.before(shaped, record) : shaped;
    const making = model === KNOWN_TEXT.synthetic ? 'local' : 'answer';
    const answer = this.keep(record, nodes.add(above, { making, record, lines, message: record }));
    this.noteDoubled(answer, lines);
    return this.withoutUnanswered(answer, lines);
  }

  /** Notes the calls of an answer whose ids an answer above it has used: the client sends the first call of an id. */
  private noteDoubled(answer: number, lines: readonly number[]): void {
    const { callers, nodes, records } = this;
    const doubled = new Set<number>();
    for (const call of lines.flatMap((line) => records.blocks.calls(line))) {
      const first = (callers[call] ?? 0) - 1;
      if (first === answer) continue;
      if (first !== NONE && this.isShownAbove(first, answer)) doubled.add(call);
      else callers[call] = answer + 1;
    }
    if (doubled.size > 0) nodes.doubled.set(answer, doubled);
  }

  /** Whether an entry is above another one, with nothing between them that replaces the messages. */
  private isShownAbove(entry: number, below: number): boolean {
    const { nodes } = this;
    for (let node = nodes.parent(below); node >= entry && this.stepsLeft > 0; node = nodes.parent(node)) {
      this.stepsLeft -= 1;
      if (node === entry) return true;
      if (nodes.resets.has(node)) return false;
    }
    return false;
  }

  /**
   * Leaves out the calls of an answer without a result, as the client does when it goes on after it ended in the middle
   * of a call, and those with an id that is used already. At the end of the conversation, a call may still get its result.
   */
  private withoutUnanswered(answer: number, lines: readonly number[]): number {
    const { nodes, records } = this;
    const isUnanswered = records.goesOnAfter(lines.at(-1) ?? NONE) && records.unanswered(lines).length > 0;
    if (!isUnanswered && !nodes.doubled.has(answer)) return answer;
    const record = nodes.record(answer);
    this.leftOut.push(record);
    return nodes.add(answer, { making: 'unanswered', record, place: UNANSWERED, lines, target: answer });
  }

  /** Adds the words of the user that the request of an answer had, and that no record of the conversation has. */
  private writeQueued(parent: number, record: number): number {
    let tail = parent;
    for (const { queued, taken } of this.queue.before(record))
      tail = this.nodes.add(tail, { making: 'queued', record, place: QUEUED + taken, lines: [taken, queued] });
    return tail;
  }

  /** Adds the prompt and the tools of a request, if they are others than before. */
  private shaped(parent: number, record: number): number {
    const shape = this.records.requests.shapeBefore(record);
    if (shape === NONE || shape === this.shapeOf(parent)) return parent;
    return this.nodes.add(parent, { making: 'shape', record, place: SHAPE_PLACE, lines: [shape], shape });
  }

  private shapeOf(node: number): number {
    return node === NONE ? NONE : this.nodes.shape(node);
  }

  private writeUser(parent: number, record: number): number {
    const { records } = this;
    const results = records.blocks.results(record);
    let tail = parent;
    for (let place = 0; place < results.length; place += 1)
      tail = this.writeResult(tail, record, place, results[place] ?? 0);
    if (results.length > 0 && records.blocks.count(record) === results.length) return tail;
    const making = records.isMeta(record) ? 'meta' : 'text';
    return this.keep(record, this.nodes.add(tail, { making, record, place: results.length, message: record }));
  }

  private writeResult(parent: number, record: number, place: number, call: number): number {
    if (!this.isAwaited(parent, call)) {
      this.leftOut.push(record);
      return this.nodes.add(parent, { making: 'orphan', record, place });
    }
    const node = this.keep(record, this.nodes.add(parent, { making: 'result', record, place, message: record, call }));
    this.results[call] = node + 1;
    const replaced = this.records.replacements.get(call);
    if (!replaced) return node;
    // The model saw the replacement of a big result from the start.
    const lines = [replaced.line];
    return this.nodes.add(node, { making: 'replaced', record, place: EDITS + place, lines, target: node, call });
  }

  /** Whether the answer before an entry makes a call that has no result yet: the client sends no other result. */
  private isAwaited(parent: number, call: number): boolean {
    const { nodes, records } = this;
    for (let node = parent; this.stepsLeft > 0; node = nodes.parent(node)) {
      this.stepsLeft -= 1;
      if (node === NONE) return false;
      switch (nodes.making(node)) {
        case 'result':
          if (nodes.call(node) === call) return false;
          break;
        case 'answer':
        case 'local':
          if (nodes.doubled.get(node)?.has(call) === true) return false;
          return nodes.lines(node).some((line) => records.blocks.calls(line).includes(call));
        case 'reset':
          return false;
        case 'compaction':
          if (nodes.resets.get(node) === NONE) return false;
          break;
        default:
      }
    }
    return true;
  }

  /** The results that a microcompaction or a cut cleared. */
  private clear(parent: number, record: number): number {
    let tail = NONE;
    for (const [place, call] of (this.records.cleared.get(record) ?? []).entries()) {
      const target = (this.results[call] ?? 0) - 1;
      if (target === NONE) continue;
      const lines = [record, this.nodes.record(target)];
      tail = this.nodes.add(tail === NONE ? parent : tail, { making: 'cleared', record, place, lines, target });
    }
    return tail;
  }

  private writeAttachment(parent: number, record: number): number {
    const making = this.records.attachments.useOf(record);
    // The prompt of a request says more.
    const isKnown = making === 'snapshot' && this.shapeOf(parent) !== NONE;
    return making === null || isKnown ? NONE : this.keep(record, this.nodes.add(parent, { making, record }));
  }

  private keep(record: number, node: number): number {
    if (this.first[record] === NONE) this.first[record] = node;
    return node;
  }
}

/** The entries that are searched for the calls of results, beside those of the file. */
const MOST_STEPS = 1_000_000;

/** The place of what leaves out calls comes after those of all other entries of an answer. */
const UNANSWERED = 4;

/** The places of words from the queue come after those of edits. */
const QUEUED = 3_000_000;

/** The place of a prompt comes after that of a model. */
const SHAPE_PLACE = 2;

/** The places of edits come after those of results. */
const EDITS = 1_000_000;
