import type { JsonObject } from '#base/json.js';
import { NONE } from '../../../heads/id-index.js';
import { isTruthy, textNumberOf } from '../../../scan/field-layout.js';
import type { LineFields } from '../../../scan/line-fields.js';
import type { LineSpan } from '../../../scan/lines.js';
import { ApiRequests } from './api-requests.js';
import { Attachments } from './attachments.js';
import { CLAUDE_FIELD, isProviderAnswer, KNOWN_TEXT, RECORD_TYPE } from './fields.js';
import { type FileFacts, readFileFacts } from './file-facts.js';
import { linkLateReports } from './late-reports.js';
import { MessageBlocks } from './message-blocks.js';
import { readEffects, type RecordEffects } from './record-effects.js';
import { indexRecords, type RecordIndex } from './record-index.js';

/** A call in the message of a record: one that it makes, or one whose result it contains. */
export interface RecordCall {
  readonly record: number;
  /** The text of its id. */
  readonly call: number;
}

/**
 * The records of a file and their parents, without their content. A record is the number of its line, from 0. Texts, such
 * as uuids, are the numbers that {@link LineFields} gives them; 0 for none.
 */
export class ClaudeRecords {
  private readonly index: RecordIndex;
  /** The record that each one names as its parent; NONE if it names none, or none in the file. */
  readonly parents: Int32Array;
  /** 1 for each record of the conversation itself, not of a subagent. */
  readonly main: Uint8Array;
  /** The calls of all answers. Those of one record follow each other, here and in `results`. */
  readonly calls: RecordCall[] = [];
  /** The calls whose results the file has, with the record of each result. */
  readonly results: RecordCall[] = [];
  /** The summaries of compactions. */
  readonly summaries: number[] = [];
  /** The models of all answers of providers. */
  readonly models = new Set<number>();
  readonly blocks: MessageBlocks;

  readonly file: FileFacts;
  readonly effects: RecordEffects;
  readonly requests: ApiRequests;
  readonly attachments: Attachments;
  /** The reports that were written late, and the record that each of them followed: see `linkLateReports`. */
  readonly lateReports: ReadonlyMap<number, number>;
  /** The file of a subagent contains nothing else. */
  private readonly isOfSubagent: boolean;
  /** The calls with a result. */
  private readonly answered: ReadonlySet<number>;
  /** The last line with an answer, or with words of the user. */
  private readonly lastWords: number;

  /** `valueOf`: the value of a line. */
  constructor(
    readonly fields: LineFields,
    valueOf: (span: LineSpan) => JsonObject,
  ) {
    this.blocks = new MessageBlocks(fields);
    this.index = indexRecords(fields, this.blocks);
    this.file = readFileFacts(fields);
    this.isOfSubagent =
      this.file.agentId !== null &&
      this.order.every((line) => this.hasSideMark(line) || this.types[line] === RECORD_TYPE.progress);
    this.parents = new Int32Array(fields.length).fill(NONE);
    this.main = new Uint8Array(fields.length);
    this.readParents();
    this.lateReports = linkLateReports(fields, this.index, this.parents, this.main);
    this.answered = new Set(this.results.map(({ call }) => call));
    this.lastWords = this.main.findLastIndex(
      (isMain, line) => isMain === 1 && this.isMessage(line) && this.blocks.hasMoreThanResults(line),
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
  private readParents(): void {
    const { fields, main, parents } = this;
    const { order, types, byUuid } = this.index;
    const { words, recordWords } = fields;
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const type = types[line] ?? 0;
      const at = line * recordWords;
      const uuid = textNumberOf(words[at + CLAUDE_FIELD.parentUuid] ?? 0);
      if (uuid !== 0 && uuid !== KNOWN_TEXT.empty) parents[line] = (byUuid[uuid] ?? 0) - 1;
      if (type === RECORD_TYPE.progress) continue;
      const isSide = !this.isOfSubagent && isTruthy(words[at + CLAUDE_FIELD.isSide] ?? 0);
      const isOfTeam = isTruthy(words[at + CLAUDE_FIELD.teamName] ?? 0);
      if (!isSide && !isOfTeam) main[line] = 1;
      if (type === RECORD_TYPE.assistant) this.noteAnswer(line);
      if (type !== RECORD_TYPE.user) continue;
      for (const call of this.blocks.listAnsweredCalls(line)) this.results.push({ record: line, call });
      if (isTruthy(words[at + CLAUDE_FIELD.isSummary] ?? 0)) this.summaries.push(line);
    }
  }

  private noteAnswer(line: number): void {
    if (isProviderAnswer(this.fields, line)) this.models.add(this.fields.textAt(line, CLAUDE_FIELD.model));
    for (const call of this.blocks.listCalls(line)) this.calls.push({ record: line, call });
  }

  uuid(line: number): number {
    return this.textAt(line, CLAUDE_FIELD.uuid);
  }

  /** The uuid of the parent that the file names, whether or not the file has it; 0 if there is none. */
  parentUuid(line: number): number {
    const followed = this.lateReports.get(line);
    if (followed !== undefined) return this.uuid(followed);
    const text = this.textAt(line, CLAUDE_FIELD.parentUuid);
    return text === KNOWN_TEXT.empty ? 0 : text;
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

  /** The id of the API answer that a record is a part of; 0 if it is none. */
  answerId(line: number): number {
    if (this.types[line] !== RECORD_TYPE.assistant) return 0;
    const text = this.textAt(line, CLAUDE_FIELD.answerId);
    return text === KNOWN_TEXT.empty ? 0 : text;
  }

  /** Whether any result of a call is recorded. */
  isAnswered(call: string): boolean {
    return this.answered.has(this.fields.intern(call));
  }

  /** Whether any call of lines has no result. */
  hasUnansweredCalls(lines: readonly number[]): boolean {
    return lines.some((line) => this.blocks.listCalls(line).some((call) => !this.answered.has(call)));
  }

  /** Whether the conversation goes on after a line, with an answer or with words of the user. */
  goesOnAfter(line: number): boolean {
    return line < this.lastWords;
  }

  /** Whether it is a line of an answer that a provider gave. */
  isProviderAnswer(line: number): boolean {
    return this.types[line] === RECORD_TYPE.assistant && isProviderAnswer(this.fields, line);
  }

  /** The model of an answer; 0 if it names none. */
  model(line: number): number {
    return this.types[line] === RECORD_TYPE.assistant ? this.textAt(line, CLAUDE_FIELD.model) : 0;
  }

  private textAt(line: number, field: number): number {
    return this.fields.textAt(line, field);
  }
}
