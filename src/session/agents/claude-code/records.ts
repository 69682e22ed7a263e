import { asString, type JsonObject, listObjects } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { isTruthy, VALUE_KIND, valueKindOf, valueNumberOf } from '../../scan/field-layout.js';
import type { LineFields } from '../../scan/line-fields.js';
import type { LineSpan } from '../../scan/lines.js';
import type { ClientTotals } from '../define.js';
import { Attachments } from './attachments.js';
import {
  type Boundary,
  CLAUDE_FIELD,
  isProviderAnswer,
  KNOWN_TEXT,
  readBoundary,
  readClearedCalls,
  RECORD_TYPE,
  TITLE_RECORDS,
} from './fields.js';
import { NONE, RecordLinks } from './links.js';
import { ApiRequests } from './requests.js';
import { readClientTotals } from './usage.js';

/** A text that the model was shown instead of a result: its line, and its place in the list there. */
interface Replacement {
  readonly line: number;
  readonly place: number;
}

/** The records of a file, without their content. */
export class ClaudeRecords extends RecordLinks {
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
  constructor(table: LineFields, valueOf: (span: LineSpan) => JsonObject) {
    super(table);
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
    this.requests = new ApiRequests(table, this.others, valueOf);
    this.attachments = new Attachments(table, this.others);
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
    return kind === 0 ? null : this.table.text(kind);
  }

  private isChain(line: number): boolean {
    const type = this.textAt(line, CLAUDE_FIELD.type);
    return type >= RECORD_TYPE.user && type <= RECORD_TYPE.progress && this.textAt(line, CLAUDE_FIELD.uuid) !== 0;
  }

  /** Reads the few lines that say more than their fields, and returns the title. */
  private readOthers(valueOf: (span: LineSpan) => JsonObject): ClaudeRecords['title'] {
    const { table, types } = this;
    const intern = (text: string): number => table.intern(text);
    let title: { line: number; text: string; rank: number } | null = null;
    for (const line of this.systems)
      if (this.kind(line) === KNOWN_TEXT.boundary)
        this.boundaries.set(line, readBoundary(valueOf(table.span(line)), intern));
    for (const line of this.others) {
      const type = this.textAt(line, CLAUDE_FIELD.type);
      if (types[line] !== 0) {
        const kind = this.kind(line);
        if (kind === KNOWN_TEXT.microcompact || kind === KNOWN_TEXT.cut)
          this.cleared.set(line, readClearedCalls(valueOf(table.span(line)), intern));
        continue;
      }
      if (type === KNOWN_TEXT.replacement) this.takeReplacements(line, valueOf(table.span(line)));
      if (type === KNOWN_TEXT.collapse) this.collapses.push(line);
      if (type === KNOWN_TEXT.costState) this.takeTotals(line, valueOf(table.span(line)));
      const rank = type === 0 ? NONE : TITLE_RECORDS.findIndex(([of]) => of === type);
      if (rank === NONE || rank < (title?.rank ?? NONE)) continue;
      const text = asString(valueOf(table.span(line))[TITLE_RECORDS[rank]?.[1] ?? ''])?.trim();
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
        this.replacements.set(this.table.intern(id), { line, place });
    }
  }

  private firstText(slot: number, except = 0): string | null {
    const { table } = this;
    for (let line = 0; line < table.length; line += 1) {
      const text = this.textAt(line, slot);
      if (text !== 0 && text !== except) return table.text(text);
    }
    return null;
  }

  private lastText(slot: number): string | null {
    const { table } = this;
    for (let line = table.length - 1; line >= 0; line -= 1) {
      const text = this.textAt(line, slot);
      if (text !== 0) return table.text(text);
    }
    return null;
  }

  uuid(line: number): number {
    return this.textAt(line, CLAUDE_FIELD.uuid);
  }

  /** The session from which a record was copied, with a new uuid. */
  origin(line: number): string | null {
    const text = this.textAt(line, CLAUDE_FIELD.origin);
    return text === 0 ? null : this.table.text(text);
  }

  uuidText(line: number): string {
    return this.table.text(this.uuid(line));
  }

  /** The value of the eight hex digits with which the uuid begins; null if it does not begin so. */
  digits(line: number): number | null {
    return this.table.digits(this.uuid(line));
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
    const word = this.table.at(line, CLAUDE_FIELD.parent);
    return valueKindOf(word) === VALUE_KIND.text ? valueNumberOf(word) !== KNOWN_TEXT.empty : isTruthy(word);
  }

  /** The subtype of a system record, or the type of an attachment. */
  kind(line: number): number {
    return this.textAt(line, this.types[line] === RECORD_TYPE.system ? CLAUDE_FIELD.subtype : CLAUDE_FIELD.attachment);
  }

  timestamp(line: number): string {
    const word = this.table.at(line, CLAUDE_FIELD.timestamp);
    if (valueKindOf(word) === VALUE_KIND.time) return formatTime(this.time(line)) ?? '';
    return valueKindOf(word) === VALUE_KIND.text ? this.table.text(valueNumberOf(word)) : '';
  }

  time(line: number): number {
    return this.table.timeAt(line, CLAUDE_FIELD.timestamp);
  }

  isSide(line: number): boolean {
    return !this.isOfSubagent && isTruthy(this.table.at(line, CLAUDE_FIELD.isSide));
  }

  isMeta(line: number): boolean {
    return isTruthy(this.table.at(line, CLAUDE_FIELD.isMeta));
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
    return this.answered.has(this.table.intern(call));
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
    return this.types[line] === RECORD_TYPE.assistant && isProviderAnswer(this.table, line);
  }

  /** Whether it is a command that the client answered itself, or what that printed. */
  isLocalCommand(line: number): boolean {
    return this.types[line] === RECORD_TYPE.system && this.kind(line) === KNOWN_TEXT.localCommand;
  }

  /** The model of an answer, 0 if it has none. */
  model(line: number): number {
    return this.types[line] === RECORD_TYPE.assistant ? this.textAt(line, CLAUDE_FIELD.model) : 0;
  }

  private textAt(line: number, slot: number): number {
    return this.table.textAt(line, slot);
  }
}

/** The subtypes of records about a request: a failure after which it was tried again, and the hooks at its end. */
const REPORTS: ReadonlySet<string | null> = new Set(['api_error', 'stop_hook_summary']);

/** The records between a request and its report, of all reports. */
const MOST_STEPS_TO_REPORTS = 1_000_000;

/** Chains of records without a message are long, and many entries may follow one. */
const MOST_STEPS = 1_000;
