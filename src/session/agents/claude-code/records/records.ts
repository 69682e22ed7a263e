import type { JsonObject } from '#base/json.js';
import { NONE } from '../../../heads/id-index.js';
import { isTruthy, textNumberOf, VALUE_KIND, valueKindOf, valueNumberOf } from '../../../scan/field-layout.js';
import type { LineFields } from '../../../scan/line-fields.js';
import type { LineSpan } from '../../../scan/lines.js';
import { ApiRequests } from './api-requests.js';
import { Attachments } from './attachments.js';
import { CLAUDE_FIELD, isProviderAnswer, kindOf, KNOWN_TEXT, readTimestamp, RECORD_TYPE } from './fields.js';
import { type FileFacts, readFileFacts } from './file-facts.js';
import { linkLateReports } from './late-reports.js';
import { Blocks, CallList } from './message-blocks.js';
import { readEffects, type RecordEffects } from './record-effects.js';
import { indexRecords, type RecordIndex } from './record-index.js';

/** The records of a file and their parents, without their content. A record is the number of its line, from 0. */
export class ClaudeRecords {
  private readonly index: RecordIndex;
  /** The record that each one names as its parent; NONE if it names none, or none in the file. */
  readonly parents: Int32Array;
  /** 1 for each record of the conversation itself, not of a subagent. */
  readonly main: Uint8Array;
  readonly calls = new CallList();
  readonly results = new CallList();
  /** The summaries of compactions. */
  readonly summaries: number[] = [];
  /** The models of all answers of providers, as texts. */
  readonly models = new Set<number>();
  /** The blocks of their contents. */
  readonly blocks: Blocks;

  readonly file: FileFacts;
  readonly effects: RecordEffects;
  readonly requests: ApiRequests;
  readonly attachments: Attachments;
  /** The reports that were written late, and the record that each of them followed: see `linkLateReports`. */
  readonly lateReports: ReadonlyMap<number, number>;
  /** The file of a subagent contains nothing else. */
  private readonly isOfSubagent: boolean;
  private readonly answered: ReadonlySet<number>;
  /** The last line with an answer, or with words of the user. */
  private readonly lastWords: number;

  /** `valueOf`: the value of a line. */
  constructor(
    readonly fields: LineFields,
    valueOf: (span: LineSpan) => JsonObject,
  ) {
    this.blocks = new Blocks(fields);
    this.index = indexRecords(fields, this.blocks);
    this.file = readFileFacts(fields);
    this.isOfSubagent =
      this.file.agentId !== null &&
      this.order.every((line) => this.hasSideMark(line) || this.types[line] === RECORD_TYPE.progress);
    this.parents = new Int32Array(fields.length).fill(NONE);
    this.main = new Uint8Array(fields.length);
    this.link();
    this.lateReports = linkLateReports(fields, this.index, this.parents, this.main);
    this.answered = new Set(this.results.calls);
    this.lastWords = this.main.findLastIndex(
      (isMain, line) => isMain === 1 && this.isMessage(line) && this.blocks.hasOther(line),
    );
    this.effects = readEffects(fields, this.index, this.file.sessionId, valueOf);
    this.requests = new ApiRequests(fields, this.others, valueOf);
    this.attachments = new Attachments(fields, this.others);
  }

  /** All records, in their order. */
  get order(): Int32Array {
    return this.index.order;
  }

  /** The type of the record of each line; 0 for all other lines. */
  get types(): Uint8Array {
    return this.index.types;
  }

  /** The lines that may contain more than a message or progress. */
  get others(): readonly number[] {
    return this.index.others;
  }

  /** The record of a uuid. */
  lineOf(uuid: number): number {
    return (this.index.byUuid[uuid] ?? 0) - 1;
  }

  /** Whether a record comes before another: less than 0 if so. One that was written again keeps its first place. */
  compare(one: number, other: number): number {
    const { places } = this.index;
    return (places[one] ?? 0) - (places[other] ?? 0);
  }

  /**
   * Finds the parents of all records, their calls and the results of these. Reads the words of the fields itself, since
   * it runs over tens of thousands of records.
   */
  private link(): void {
    const { fields, main, parents } = this;
    const { order, types, byUuid } = this.index;
    const { words, recordWords } = fields;
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const type = types[line] ?? 0;
      const at = line * recordWords;
      const uuid = textNumberOf(words[at + CLAUDE_FIELD.parent] ?? 0);
      if (uuid !== 0 && uuid !== KNOWN_TEXT.empty) parents[line] = (byUuid[uuid] ?? 0) - 1;
      if (type === RECORD_TYPE.progress) continue;
      const isSide = !this.isOfSubagent && isTruthy(words[at + CLAUDE_FIELD.isSide] ?? 0);
      const isOfTeam = isTruthy(words[at + CLAUDE_FIELD.team] ?? 0);
      if (!isSide && !isOfTeam) main[line] = 1;
      if (type === RECORD_TYPE.assistant) this.noteAnswer(line);
      if (type !== RECORD_TYPE.user) continue;
      this.results.add(line, this.blocks.results(line));
      if (isTruthy(words[at + CLAUDE_FIELD.isSummary] ?? 0)) this.summaries.push(line);
    }
  }

  private noteAnswer(line: number): void {
    if (isProviderAnswer(this.fields, line)) this.models.add(this.fields.textAt(line, CLAUDE_FIELD.model));
    this.calls.add(line, this.blocks.calls(line));
  }

  uuid(line: number): number {
    return this.textAt(line, CLAUDE_FIELD.uuid);
  }

  /** The session from which a record was copied, with a new uuid. */
  origin(line: number): string | null {
    const text = this.textAt(line, CLAUDE_FIELD.origin);
    return text === 0 ? null : this.fields.text(text);
  }

  uuidText(line: number): string {
    return this.fields.text(this.uuid(line));
  }

  /** The value of the eight hex digits with which the uuid begins; null if it does not begin so. */
  digits(line: number): number | null {
    return this.fields.digits(this.uuid(line));
  }

  /** The uuid of the parent, 0 if there is none. */
  parent(line: number): number {
    const moved = this.lateReports.get(line);
    const text = moved === undefined ? this.textAt(line, CLAUDE_FIELD.parent) : this.uuid(moved);
    return text === KNOWN_TEXT.empty ? 0 : text;
  }

  /** The nearest ancestor of a record that has a message. */
  topOf(line: number): number {
    let top = line;
    for (let next = line, steps = 0; next !== NONE && steps < MOST_STEPS; steps += 1) {
      top = next;
      next = this.parents[next] ?? NONE;
      if (next !== NONE && this.isMessage(next)) return line;
    }
    return top;
  }

  /** Whether a record names a parent, of any type. */
  isLinked(line: number): boolean {
    const word = this.fields.at(line, CLAUDE_FIELD.parent);
    return valueKindOf(word) === VALUE_KIND.text ? valueNumberOf(word) !== KNOWN_TEXT.empty : isTruthy(word);
  }

  timestamp(line: number): string {
    return readTimestamp(this.fields, line);
  }

  time(line: number): number {
    return this.fields.timeAt(line, CLAUDE_FIELD.timestamp);
  }

  /** Whether it is a record of a subagent, in the file of the session that started it. */
  isSide(line: number): boolean {
    return !this.isOfSubagent && this.hasSideMark(line);
  }

  private hasSideMark(line: number): boolean {
    return isTruthy(this.fields.at(line, CLAUDE_FIELD.isSide));
  }

  isMeta(line: number): boolean {
    return isTruthy(this.fields.at(line, CLAUDE_FIELD.isMeta));
  }

  isMessage(line: number): boolean {
    const type = this.types[line] ?? 0;
    return type === RECORD_TYPE.user || type === RECORD_TYPE.assistant;
  }

  /** The id of the API answer that the record is a part of; 0 if it is none. */
  answer(line: number): number {
    if (this.types[line] !== RECORD_TYPE.assistant) return 0;
    const text = this.textAt(line, CLAUDE_FIELD.answer);
    return text === KNOWN_TEXT.empty ? 0 : text;
  }

  /** Whether any result of a call is recorded. */
  isAnswered(call: string): boolean {
    return this.answered.has(this.fields.intern(call));
  }

  /** The calls of lines without any result. */
  unanswered(lines: readonly number[]): readonly number[] {
    return lines.flatMap((line) => this.blocks.calls(line).filter((call) => !this.answered.has(call)));
  }

  /** Whether the conversation goes on after a line, with an answer or with words of the user. */
  goesOnAfter(line: number): boolean {
    return line < this.lastWords;
  }

  /** Whether it is a line of an answer that a provider gave. */
  isAnswer(line: number): boolean {
    return this.types[line] === RECORD_TYPE.assistant && isProviderAnswer(this.fields, line);
  }

  /** Whether it is a command that the client answered itself, or what that printed. */
  isLocalCommand(line: number): boolean {
    return this.types[line] === RECORD_TYPE.system && kindOf(this.fields, line) === KNOWN_TEXT.localCommand;
  }

  /** The model of an answer, 0 if it has none. */
  model(line: number): number {
    return this.types[line] === RECORD_TYPE.assistant ? this.textAt(line, CLAUDE_FIELD.model) : 0;
  }

  private textAt(line: number, field: number): number {
    return this.fields.textAt(line, field);
  }
}

/** Chains of records without a message are long, and many entries may follow one. */
const MOST_STEPS = 1_000;
