import { asString, type JsonObject, listObjects } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { NONE } from '../../heads/id-index.js';
import { isTruthy, textNumberOf, VALUE_KIND, valueKindOf, valueNumberOf } from '../../scan/field-layout.js';
import type { LineFields } from '../../scan/line-fields.js';
import type { LineSpan } from '../../scan/lines.js';
import type { ClientTotals } from '../define.js';
import { ApiRequests } from './api-requests.js';
import { Attachments } from './attachments.js';
import { type Boundary, readBoundary, readClearedCalls } from './boundary.js';
import { CLAUDE_FIELD, isProviderAnswer, KNOWN_TEXT, RECORD_TYPE, TITLE_RECORDS } from './fields.js';
import { Blocks, CallList } from './message-blocks.js';
import { readClientTotals } from './usage.js';

/** A text that the model was shown instead of a result: its line, and its place in the list there. */
interface Replacement {
  readonly line: number;
  readonly place: number;
}

/**
 * The records of a file and their parents, without their content. A record is the number of its line, from 0. Of those
 * with one uuid, the last line wins, at the place of the first. Loops over all lines read the words of the fields
 * themselves, since they run once, over tens of thousands of lines.
 */
export class ClaudeRecords {
  /** All records of the chain. */
  readonly order: Int32Array;
  /** The place of each record in that order. */
  private readonly places: Int32Array;
  /** The type of the record of each line; 0 for all other lines. */
  readonly types: Uint8Array;
  /** The record that each one names as its parent; NONE if it names none, or none in the file. */
  readonly parents: Int32Array;
  /** 1 for each record of the conversation itself, not of a subagent. */
  readonly main: Uint8Array;
  readonly calls = new CallList();
  readonly results = new CallList();
  /** The summaries of compactions. */
  readonly summaries: number[] = [];
  private readonly systems: number[] = [];
  /** The models of all answers of providers, as texts. */
  readonly models = new Set<number>();
  /** The lines that may contain more than a message or progress. */
  readonly others: number[] = [];
  /** The blocks of their contents. */
  readonly blocks: Blocks;
  private readonly byUuid: Int32Array;

  /** In the order of the records. */
  readonly boundaries = new Map<number, Boundary>();
  /** The calls whose results a record cleared. */
  readonly cleared = new Map<number, readonly number[]>();
  /** The lines that replace some messages by a summary. */
  readonly collapses: number[] = [];
  readonly requests: ApiRequests;
  readonly attachments: Attachments;
  /** By the call. */
  readonly replacements = new Map<number, Replacement>();
  /** The newest sums of the client. */
  clientTotals: ClientTotals | null = null;
  readonly title: { readonly line: number; readonly text: string } | null;
  readonly firstTimestamp: string | null;
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly version: string | null;
  readonly agentId: string | null;
  /** The reports that were written late, and the record that each of them followed: see `placeReports`. */
  readonly lateReports = new Map<number, number>();
  /** The session from which this one was forked, if its records name it. */
  readonly originId: string | null;
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
    const { length } = fields;
    this.types = new Uint8Array(length);
    this.main = new Uint8Array(length);
    this.parents = new Int32Array(length).fill(NONE);
    this.places = new Int32Array(length);
    this.byUuid = new Int32Array(fields.texts + 1);
    this.blocks = new Blocks(fields);
    this.order = this.collectRecords();
    const first = this.types.findIndex((_, line) => this.isChain(line) && this.timestamp(line) !== '');
    this.firstTimestamp = first === NONE ? null : this.timestamp(first);
    this.sessionId = this.firstText(CLAUDE_FIELD.sessionId, KNOWN_TEXT.empty) ?? '';
    this.cwd = this.firstText(CLAUDE_FIELD.cwd);
    this.agentId = this.firstText(CLAUDE_FIELD.agentId);
    this.originId = this.firstText(CLAUDE_FIELD.origin);
    this.version = this.lastText(CLAUDE_FIELD.version);
    this.isOfSubagent =
      this.agentId !== null &&
      this.order.every((line) => this.isSide(line) || this.types[line] === RECORD_TYPE.progress);
    this.link(this.isOfSubagent);
    this.placeReports();
    this.answered = new Set(this.results.calls);
    this.lastWords = this.main.findLastIndex(
      (isMain, line) => isMain === 1 && this.isMessage(line) && this.blocks.hasOther(line),
    );
    this.title = this.readOthers(valueOf);
    this.requests = new ApiRequests(fields, this.others, valueOf);
    this.attachments = new Attachments(fields, this.others);
  }

  /** The record of a uuid. */
  lineOf(uuid: number): number {
    return (this.byUuid[uuid] ?? 0) - 1;
  }

  /** Whether a record comes before another: less than 0 if so. One that was written again keeps its first place. */
  compare(one: number, other: number): number {
    return (this.places[one] ?? 0) - (this.places[other] ?? 0);
  }

  /** The records of the chain in order. Collects the other lines too. */
  private collectRecords(): Int32Array {
    const { fields, types, places, byUuid, others } = this;
    const { words, recordWords, length } = fields;
    const order = new Int32Array(length);
    let count = 0;
    for (let line = 0, at = 0; line < length; line += 1, at += recordWords) {
      const type = textNumberOf(words[at + CLAUDE_FIELD.type] ?? 0);
      const uuid = textNumberOf(words[at + CLAUDE_FIELD.uuid] ?? 0);
      const isChain = type >= RECORD_TYPE.user && type <= RECORD_TYPE.progress && uuid !== 0;
      if (
        !isChain ||
        type === RECORD_TYPE.system ||
        words[at + CLAUDE_FIELD.attached] !== 0 ||
        words[at + CLAUDE_FIELD.rendered] !== 0
      )
        others.push(line);
      if (!isChain) continue;
      const before = (byUuid[uuid] ?? 0) - 1;
      let place = count;
      if (before === NONE) count += 1;
      else {
        place = places[before] ?? 0;
        types[before] = 0;
      }
      types[line] = type;
      places[line] = place;
      order[place] = line;
      byUuid[uuid] = line + 1;
      if (type === RECORD_TYPE.assistant) this.blocks.nameTools(line);
    }
    return order.subarray(0, count);
  }

  /** Finds the parents of all records, their calls and the results of these. */
  private link(isOfSubagent: boolean): void {
    const { fields, types, main, order, parents, byUuid } = this;
    const { words, recordWords } = fields;
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const type = types[line] ?? 0;
      const at = line * recordWords;
      const uuid = textNumberOf(words[at + CLAUDE_FIELD.parent] ?? 0);
      if (uuid !== 0 && uuid !== KNOWN_TEXT.empty) parents[line] = (byUuid[uuid] ?? 0) - 1;
      if (type === RECORD_TYPE.progress) continue;
      const isSide = !isOfSubagent && isTruthy(words[at + CLAUDE_FIELD.isSide] ?? 0);
      if (!isSide && !isTruthy(words[at + CLAUDE_FIELD.team] ?? 0)) main[line] = 1;
      if (type === RECORD_TYPE.system) this.systems.push(line);
      if (type === RECORD_TYPE.assistant && isProviderAnswer(fields, line))
        this.models.add(fields.textAt(line, CLAUDE_FIELD.model));
      if (type === RECORD_TYPE.assistant) this.calls.add(line, this.blocks.calls(line));
      if (type !== RECORD_TYPE.user) continue;
      this.results.add(line, this.blocks.results(line));
      if (isTruthy(words[at + CLAUDE_FIELD.isSummary] ?? 0)) this.summaries.push(line);
    }
  }

  /**
   * Lets each report on a request follow the record that it came after. Versions such as 2.1.237 write it when the next
   * prompt comes, name the record before the request as its parent, and let the prompt follow the report: so no chain of
   * parents has the answers between, which the client sends all the same until it is started again.
   */
  private placeReports(): void {
    const { order, main, types, parents } = this;
    let last = NONE;
    let stepsLeft = MOST_STEPS_TO_REPORTS;
    for (const line of order) {
      if (main[line] === 0) continue;
      const parent = parents[line] ?? NONE;
      if (types[line] === RECORD_TYPE.system && parent !== NONE && parent < last && REPORTS.has(this.kindText(line))) {
        let above = last;
        for (; above > parent && stepsLeft > 0; stepsLeft -= 1) above = parents[above] ?? NONE;
        if (above === parent) {
          parents[line] = last;
          this.lateReports.set(line, last);
        }
      }
      last = line;
    }
  }

  private kindText(line: number): string | null {
    const kind = this.kind(line);
    return kind === 0 ? null : this.fields.text(kind);
  }

  private isChain(line: number): boolean {
    const type = this.textAt(line, CLAUDE_FIELD.type);
    return type >= RECORD_TYPE.user && type <= RECORD_TYPE.progress && this.textAt(line, CLAUDE_FIELD.uuid) !== 0;
  }

  /** Reads the few lines that say more than their fields, and returns the title. */
  private readOthers(valueOf: (span: LineSpan) => JsonObject): ClaudeRecords['title'] {
    const { fields, types } = this;
    const intern = (text: string): number => fields.intern(text);
    let title: { line: number; text: string; rank: number } | null = null;
    for (const line of this.systems)
      if (this.kind(line) === KNOWN_TEXT.boundary)
        this.boundaries.set(line, readBoundary(valueOf(fields.span(line)), intern));
    for (const line of this.others) {
      const type = this.textAt(line, CLAUDE_FIELD.type);
      if (types[line] !== 0) {
        const kind = this.kind(line);
        if (kind === KNOWN_TEXT.microcompact || kind === KNOWN_TEXT.cut)
          this.cleared.set(line, readClearedCalls(valueOf(fields.span(line)), intern));
        continue;
      }
      if (type === KNOWN_TEXT.replacement) this.takeReplacements(line, valueOf(fields.span(line)));
      if (type === KNOWN_TEXT.collapse) this.collapses.push(line);
      if (type === KNOWN_TEXT.costState) this.takeTotals(line, valueOf(fields.span(line)));
      const rank = type === 0 ? NONE : TITLE_RECORDS.findIndex(([of]) => of === type);
      if (rank === NONE || rank < (title?.rank ?? NONE)) continue;
      const text = asString(valueOf(fields.span(line))[TITLE_RECORDS[rank]?.[1] ?? ''])?.trim();
      if (text) title = { line, text, rank };
    }
    return title;
  }

  /** A client that resumes a session goes on with its newest sums, so these include all earlier ones. */
  private takeTotals(line: number, value: JsonObject): void {
    if (asString(value['sessionId']) === this.sessionId)
      this.clientTotals = readClientTotals(value, line + 1) ?? this.clientTotals;
  }

  private takeReplacements(line: number, value: JsonObject): void {
    for (const [place, replacement] of listObjects(value['replacements']).entries()) {
      const id = asString(replacement['toolUseId']);
      if (id !== null && typeof replacement['replacement'] === 'string')
        this.replacements.set(this.fields.intern(id), { line, place });
    }
  }

  private firstText(field: number, except = 0): string | null {
    const { fields } = this;
    for (let line = 0; line < fields.length; line += 1) {
      const text = this.textAt(line, field);
      if (text !== 0 && text !== except) return fields.text(text);
    }
    return null;
  }

  private lastText(field: number): string | null {
    const { fields } = this;
    for (let line = fields.length - 1; line >= 0; line -= 1) {
      const text = this.textAt(line, field);
      if (text !== 0) return fields.text(text);
    }
    return null;
  }

  /** The text of a field at a line of the file, from 1: that of the nearest record up to it. */
  textUpTo(line: number, field: number): string | null {
    for (let at = Math.min(line, this.fields.length) - 1; at >= 0; at -= 1) {
      const text = this.textAt(at, field);
      if (text !== 0) return this.fields.text(text) || null;
    }
    return null;
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

  /** The first record above it, over those that have no message. */
  topOf(line: number): number {
    let top = line;
    for (let next = line, steps = 0; next !== NONE && steps < MOST_STEPS; steps += 1) {
      top = next;
      next = this.parents[next] ?? NONE;
      if (next !== NONE && this.isMessage(next)) return line;
    }
    return top;
  }

  /** Whether it names a parent, of whatever type. */
  isLinked(line: number): boolean {
    const word = this.fields.at(line, CLAUDE_FIELD.parent);
    return valueKindOf(word) === VALUE_KIND.text ? valueNumberOf(word) !== KNOWN_TEXT.empty : isTruthy(word);
  }

  /** The subtype of a system record, or the type of an attachment. */
  kind(line: number): number {
    return this.textAt(line, this.types[line] === RECORD_TYPE.system ? CLAUDE_FIELD.subtype : CLAUDE_FIELD.attachment);
  }

  timestamp(line: number): string {
    const word = this.fields.at(line, CLAUDE_FIELD.timestamp);
    if (valueKindOf(word) === VALUE_KIND.time) return formatTime(this.time(line)) ?? '';
    return valueKindOf(word) === VALUE_KIND.text ? this.fields.text(valueNumberOf(word)) : '';
  }

  time(line: number): number {
    return this.fields.timeAt(line, CLAUDE_FIELD.timestamp);
  }

  isSide(line: number): boolean {
    return !this.isOfSubagent && isTruthy(this.fields.at(line, CLAUDE_FIELD.isSide));
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
    return this.types[line] === RECORD_TYPE.system && this.kind(line) === KNOWN_TEXT.localCommand;
  }

  /** The model of an answer, 0 if it has none. */
  model(line: number): number {
    return this.types[line] === RECORD_TYPE.assistant ? this.textAt(line, CLAUDE_FIELD.model) : 0;
  }

  private textAt(line: number, field: number): number {
    return this.fields.textAt(line, field);
  }
}

/** The subtypes of records about a request: a failure after which it was tried again, and the hooks at its end. */
const REPORTS: ReadonlySet<string | null> = new Set(['api_error', 'stop_hook_summary']);

/** The records between a request and its report, of all reports. */
const MOST_STEPS_TO_REPORTS = 1_000_000;

/** Chains of records without a message are long, and many entries may follow one. */
const MOST_STEPS = 1_000;
