import type { JsonObject } from '#base/json.js';
import { NONE } from '../../../heads/id-index.js';
import { isTruthy } from '../../../scan/field-layout.js';
import type { LineSpan } from '../../../scan/lines.js';
import { CLAUDE_FIELD, kindOf, KNOWN_TEXT, RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import { QueuedWords } from '../sent/queued-words.js';
import { ShownRequests } from '../sent/shown-requests.js';
import type { CompactionLines } from '../tree/compactions.js';
import { ClaudeEntries, type ClaudeEntry, isReset } from './entries.js';

/** Writes the entries of records. */
export class EntryWriter {
  readonly entries: ClaudeEntries;
  private readonly queue: QueuedWords;
  /** The first entry of each record. */
  private readonly firsts = new Map<number, ClaudeEntry>();
  /** The entries of results, by call. */
  private readonly results = new Map<number, ClaudeEntry>();
  /** The newest answer whose call has an id that no answer above it used, by call. */
  private readonly callers = new Map<number, ClaudeEntry>();
  /** The records with calls, or results of calls, that the client leaves out of requests. */
  readonly leftOut: number[] = [];
  private stepsLeft: number;
  /** The messages that were sent; null for a file that does not record them. */
  readonly requests: ShownRequests | null;

  /** `valueOf`: the value of a line. */
  constructor(
    private readonly records: ClaudeRecords,
    valueOf: (span: LineSpan) => JsonObject,
  ) {
    this.entries = new ClaudeEntries(records);
    this.queue = new QueuedWords(records, valueOf);
    this.requests = records.requests.areRecorded ? new ShownRequests(records, this.entries, valueOf) : null;
    this.stepsLeft = MOST_STEPS + records.order.length;
  }

  /** The first entry of a record; null if it has none. */
  firstOf(record: number): ClaudeEntry | null {
    return this.firsts.get(record) ?? null;
  }

  /** Adds the title of the session, before all other entries; null if there is none. */
  writeTitle(): ClaudeEntry | null {
    const { order } = this.records;
    const { title } = this.records.effects;
    const [first] = order;
    if (!title || first === undefined) return null;
    return this.entries.add(null, { form: 'title', record: first, place: 1, lines: [title.line] });
  }

  /**
   * Adds the entries of a record after an entry, and returns the last one; null for a record without entries. `lines`:
   * all lines of its answer.
   */
  write(parent: ClaudeEntry | null, record: number, lines?: readonly number[]): ClaudeEntry | null {
    const type = this.records.types[record];
    if (type === RECORD_TYPE.assistant) return this.writeAnswer(parent, record, lines);
    if (type === RECORD_TYPE.user) return this.writeUser(parent, record);
    if (isLocalCommand(this.records, record)) return this.entries.add(parent, { form: 'command', record });
    const isAttachment = type === RECORD_TYPE.attachment && !this.records.effects.cleared.has(record);
    return isAttachment ? this.writeAttachment(parent, record) : this.clear(parent, record);
  }

  /** Adds a compaction that keeps the entries from `kept` on, or nothing. */
  compact(parent: ClaudeEntry | null, { boundary, summary }: CompactionLines, kept: ClaudeEntry | null): ClaudeEntry {
    if (summary === NONE) return this.reset(parent, boundary);
    const lines = [boundary, summary];
    const compaction = { form: 'compaction', record: boundary, lines, message: summary, target: kept } as const;
    const entry = this.entries.add(parent, compaction);
    this.firsts.set(summary, entry);
    return entry;
  }

  /** Adds the summary of the messages after an entry, which the conversation left. `left`: the last of them. */
  summarizeBranch(parent: ClaudeEntry, { boundary, summary }: CompactionLines, left: ClaudeEntry): ClaudeEntry {
    if (summary === NONE) return parent;
    const lines = [boundary, summary];
    const entry = this.entries.add(parent, {
      form: 'branch',
      record: boundary,
      lines,
      message: summary,
      target: left,
    });
    this.firsts.set(summary, entry);
    return entry;
  }

  /** Adds a transform that removes all messages. Not named compaction, for which the next one would be its shadow. */
  reset(parent: ClaudeEntry | null, record: number): ClaudeEntry {
    return this.entries.add(parent, { form: 'reset', record });
  }

  private writeAnswer(parent: ClaudeEntry | null, given: number, lines: readonly number[] = [given]): ClaudeEntry {
    const { records } = this;
    const record = lines[0] ?? given;
    const above = records.isProviderAnswer(record) ? this.writeBeforeAnswer(parent, record) : parent;
    const form = records.model(record) === KNOWN_TEXT.synthetic ? 'local' : 'answer';
    const calls = new Set(lines.flatMap((line) => records.blocks.listCalls(line)));
    const doubledCalls = this.findDoubled(above, calls);
    const answer = this.entries.add(above, { form, record, lines, message: record, doubledCalls });
    for (const call of calls) {
      if (!doubledCalls.has(call)) this.callers.set(call, answer);
    }
    return this.leaveOutUnanswered(this.noteFirst(record, answer), lines);
  }

  /**
   * Adds what is before the answer of a provider: words from the queue, a change of the model, the prompt and the
   * tools.
   */
  private writeBeforeAnswer(parent: ClaudeEntry | null, record: number): ClaudeEntry | null {
    const model = this.records.model(record);
    let tail = this.writeQueued(parent, record);
    if (tail?.model !== model) tail = this.entries.add(tail, { form: 'model', record, place: MODEL_PLACE, model });
    tail = this.writeShape(tail, record);
    return this.requests ? this.requests.showRequest(tail, record) : tail;
  }

  /** The calls whose ids an answer from `above` on has used: the client sends the first call of an id. */
  private findDoubled(above: ClaudeEntry | null, calls: ReadonlySet<number>): ReadonlySet<number> {
    const doubled = new Set<number>();
    for (const call of calls) {
      const first = this.callers.get(call);
      if (first && this.isShownAt(first, above)) doubled.add(call);
    }
    return doubled;
  }

  /** Whether every result and its call were looked for. In a long file with few ids, some are not. */
  get isExact(): boolean {
    return this.stepsLeft > 0;
  }

  /** Whether the context at another entry still has an entry: nothing between them replaces the messages. */
  private isShownAt(entry: ClaudeEntry, below: ClaudeEntry | null): boolean {
    for (let above = below; above && above.number >= entry.number && this.stepsLeft > 0; above = above.parent) {
      this.stepsLeft -= 1;
      if (above === entry) return true;
      if (isReset(above)) return false;
    }
    return false;
  }

  /**
   * Removes the calls of an answer that have no result, and those whose id is used already. The client does so when it
   * goes on after it ended in the middle of a call. At the end of the conversation, a call may still get its result.
   */
  private leaveOutUnanswered(answer: ClaudeEntry, lines: readonly number[]): ClaudeEntry {
    const { records } = this;
    const isUnanswered = records.goesOnAfter(lines.at(-1) ?? NONE) && records.hasUnansweredCalls(lines);
    if (!isUnanswered && answer.doubledCalls.size === 0) return answer;
    const { record } = answer;
    this.leftOut.push(record);
    return this.entries.add(answer, { form: 'unanswered', record, place: UNANSWERED_PLACE, lines, target: answer });
  }

  /** Adds the words of the user that the request of an answer had, and that no record of the conversation has. */
  private writeQueued(parent: ClaudeEntry | null, record: number): ClaudeEntry | null {
    let tail = parent;
    for (const { queued, taken } of this.queue.listBefore(record))
      tail = this.entries.add(tail, { form: 'queued', record, place: QUEUED_PLACE + taken, lines: [taken, queued] });
    return tail;
  }

  /** Adds the prompt and the tools of a request, if they are others than before. */
  private writeShape(parent: ClaudeEntry | null, record: number): ClaudeEntry | null {
    const shape = this.records.requests.shapeBefore(record);
    if (shape === NONE || shape === parent?.shape) return parent;
    return this.entries.add(parent, { form: 'shape', record, place: SHAPE_PLACE, lines: [shape], shape });
  }

  private writeUser(parent: ClaudeEntry | null, record: number): ClaudeEntry {
    const { records } = this;
    const results = records.blocks.listAnsweredCalls(record);
    let tail = parent;
    for (const [place, call] of results.entries()) tail = this.writeResult(tail, record, place, call);
    if (tail && results.length > 0 && records.blocks.count(record) === results.length) return tail;
    const form = records.isMeta(record) ? 'meta' : 'text';
    return this.noteFirst(record, this.entries.add(tail, { form, record, place: results.length, message: record }));
  }

  private writeResult(parent: ClaudeEntry | null, record: number, place: number, call: number): ClaudeEntry {
    if (!this.isAwaited(parent, call)) {
      this.leftOut.push(record);
      return this.entries.add(parent, { form: 'orphan', record, place });
    }
    const result = this.entries.add(parent, { form: 'result', record, place, message: record, call });
    this.noteFirst(record, result);
    this.results.set(call, result);
    const replaced = this.records.effects.replacements.get(call);
    if (!replaced) return result;
    // The model saw the replacement of a big result from the start.
    const edit = { record, place: EDIT_PLACE + place, lines: [replaced.line], target: result, call };
    return this.entries.add(result, { form: 'replaced', ...edit });
  }

  /** Whether the answer before an entry makes a call that has no result yet: the client sends no other result. */
  private isAwaited(parent: ClaudeEntry | null, call: number): boolean {
    const { records } = this;
    for (let entry = parent; this.stepsLeft > 0; entry = entry.parent) {
      this.stepsLeft -= 1;
      if (entry === null) return false;
      switch (entry.form) {
        case 'result':
          if (entry.call === call) return false;
          break;
        case 'answer':
        case 'local':
          if (entry.doubledCalls.has(call)) return false;
          return entry.lines.some((line) => records.blocks.listCalls(line).includes(call));
        case 'reset':
          return false;
        case 'compaction':
          if (entry.target === null) return false;
          break;
        default:
      }
    }
    return true;
  }

  /** Adds edits of the results that a microcompaction or a cut cleared. */
  private clear(parent: ClaudeEntry | null, record: number): ClaudeEntry | null {
    let tail: ClaudeEntry | null = null;
    for (const [place, call] of (this.records.effects.cleared.get(record) ?? []).entries()) {
      const target = this.results.get(call);
      if (!target) continue;
      const lines = [record, target.record];
      tail = this.entries.add(tail ?? parent, { form: 'cleared', record, place, lines, target });
    }
    return tail;
  }

  private writeAttachment(parent: ClaudeEntry | null, record: number): ClaudeEntry | null {
    const form = this.records.attachments.useOf(record);
    // The prompt of a request says more.
    const isKnown = form === 'snapshot' && (parent?.shape ?? NONE) !== NONE;
    if (form === null || isKnown) return null;
    return this.noteFirst(record, this.entries.add(parent, { form, record }));
  }

  private noteFirst(record: number, entry: ClaudeEntry): ClaudeEntry {
    if (!this.firsts.has(record)) this.firsts.set(record, entry);
    return entry;
  }
}

/** Whether a record is a command that the client answered itself, or its output, unless the client only shows it. */
function isLocalCommand({ types, fields }: ClaudeRecords, record: number): boolean {
  if (types[record] !== RECORD_TYPE.system || kindOf(fields, record) !== KNOWN_TEXT.localCommand) return false;
  return !isTruthy(fields.at(record, CLAUDE_FIELD.isDisplayOnly));
}

/** The entries that are searched for the calls of results, beside those of the file. */
const MOST_STEPS = 1_000_000;

/** The place of what leaves out calls comes after those of all other entries of an answer. */
const UNANSWERED_PLACE = 4;

/** The places of words from the queue come after those of edits. */
const QUEUED_PLACE = 3_000_000;

/** The place of a change of the model, which follows that of an answer. */
const MODEL_PLACE = 1;

/** The place of a prompt, which follows that of a change of the model. */
const SHAPE_PLACE = 2;

/** The places of edits come after those of results. */
const EDIT_PLACE = 1_000_000;
