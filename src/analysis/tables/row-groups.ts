import { asString, isObject, type JsonObject } from '#base/json.js';
import { BY_CHARACTERS } from '#context/replay/tokens.js';
import type { WalkStep } from '#context/walk.js';
import { blocksOf } from '#context/words/message-text.js';
import { readAnswerEnd } from '#session/scan/answer-end.js';
import type { OutlineReader } from '#session/scan/entry-outline.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import {
  addContents,
  type EntryContents,
  emptyBreakdown,
  type TokenBreakdown,
  breakdownTotal,
} from '../stats/token-breakdown.js';
import { type EntryPart, OF_ENTRY, type RowOf, type Value } from './define.js';
import { type messages, type TableName, tableNamed, type tables } from './index.js';

/** Rows of one table that are written together: the values of each column, in row order. */
export interface RowGroup {
  readonly table: TableName;
  readonly rows: number;
  readonly columns: ReadonlyMap<string, readonly Value[]>;
}

/** Rows of one table as a single group. */
export function joinedGroups(groups: readonly RowGroup[]): RowGroup {
  const [first, second] = groups;
  if (!first) throw new RangeError('there are no rows');
  if (!second) return first;
  const names = [...first.columns.keys()];
  return {
    table: first.table,
    rows: groups.reduce((sum, { rows }) => sum + rows, 0),
    columns: new Map(
      names.map((name) => [name, ([] as Value[]).concat(...groups.map(({ columns }) => columns.get(name) ?? []))]),
    ),
  };
}

type TableOf<Name extends TableName> = Extract<(typeof tables)[number], { readonly name: Name }>;

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** The values of a row that are not of the position of its entry. */
export type OwnRow<Name extends TableName> = Omit<RowOf<TableOf<Name>>, keyof EntryPart>;

/** The rows of one table, collected column by column. */
export class CollectedRows<Name extends TableName> {
  private rows = 0;
  private columns: readonly Column[];

  constructor(
    readonly name: Name,
    wanted: ReadonlySet<string> = NO_COLUMNS,
  ) {
    const names = Object.keys(tableNamed(name).columns).filter((column) => wanted.has(column));
    this.columns = names.map((column) => ({ name: column, isOfPlace: column in OF_ENTRY, values: [] }));
  }

  add(place: Partial<EntryPart>, row: OwnRow<Name>): void {
    const [ofPlace, own] = [place, row] as unknown as readonly [Values, Values];
    for (const { name, isOfPlace, values } of this.columns) values.push((isOfPlace ? ofPlace : own)[name] ?? null);
    this.rows += 1;
  }

  /** Sets a column of the collected rows. */
  set(column: string, valueAt: (row: number) => Value): void {
    const values = this.columns.find(({ name }) => name === column)?.values ?? [];
    for (const row of values.keys()) values[row] = valueAt(row);
  }

  /** Returns the collected rows, and starts over. Nothing if there are no rows. */
  *take(): Generator<RowGroup> {
    const { name, rows, columns } = this;
    if (rows === 0) return;
    this.rows = 0;
    this.columns = columns.map((column) => ({ ...column, values: [] }));
    yield { table: name, rows, columns: new Map(columns.map((column) => [column.name, column.values])) };
  }
}

interface Column {
  readonly name: string;
  readonly isOfPlace: boolean;
  readonly values: Value[];
}

type Values = Readonly<Record<string, Value>>;

/** The nearest integer to a count, since files may contain any number. */
export function wholeOf(count: number): number {
  const most = Number.MAX_SAFE_INTEGER;
  return Math.max(-most, Math.min(most, Math.round(count)));
}

export function maybeWhole(count: number | null | undefined): number | null {
  return count === null || count === undefined || Number.isNaN(count) ? null : wholeOf(count);
}

/** The last time that a Date can represent. */
const LAST_TIME = 8.64e15;

/** null for a time outside the calendar. */
export function timeOf(milliseconds: number): number | null {
  return Math.abs(milliseconds) <= LAST_TIME ? Math.trunc(milliseconds) : null;
}

/** An entry that is read as far as its rows need it, and parsed and counted at most once. */
export class EntryReader {
  private parsed: JsonObject | null = null;
  private counted: ReturnType<typeof countsOf> | null = null;
  private readonly outlines: OutlineReader;
  private readonly step: WalkStep | null;

  /** `step`: of a walk that parses the entry. */
  constructor(
    private readonly session: Session,
    private readonly head: Head,
    { outlines, step }: { readonly outlines: OutlineReader; readonly step: WalkStep | null },
  ) {
    this.outlines = outlines;
    this.step = step;
  }

  whole(): JsonObject {
    this.parsed ??= this.step?.entry ?? this.session.entry(this.head);
    return this.parsed;
  }

  /** The tokens of its contents. */
  counts(contents: EntryContents): ReturnType<typeof countsOf> {
    this.counted ??= countsOf(contents);
    return this.counted;
  }

  /** The model and usage of an answer. */
  end(): JsonObject {
    return this.parsed ?? (this.step ? null : readAnswerEnd(this.session, this.head)) ?? this.whole();
  }

  /** An answer or a tool result without its texts. */
  outline(): JsonObject {
    return this.parsed ?? (this.step ? null : this.outlines.read(this.session, this.head)) ?? this.whole();
  }
}

type Row = Partial<RowOf<typeof messages>>;

export function messageIn(entry: JsonObject): JsonObject {
  return isObject(entry['message']) ? entry['message'] : {};
}

/** The model of an answer, and its stop reason. */
export function answerIn(head: Head, entry: JsonObject) {
  const { provider, model, stopReason, errorMessage } = head.role === 'assistant' ? messageIn(entry) : NOTHING;
  return {
    provider: asString(provider),
    model: asString(model),
    stop_reason: asString(stopReason),
    error: asString(errorMessage),
  } satisfies Row;
}

/** The call that a tool result answers. */
export function resultIn(head: Head, entry: JsonObject) {
  const isResult = head.role === 'toolResult';
  const { toolName, toolCallId, isError } = isResult ? messageIn(entry) : NOTHING;
  return {
    tool_name: asString(toolName),
    tool_call_id: asString(toolCallId),
    is_error: isResult ? isError === true : null,
  } satisfies Row;
}

/** An entry of which nothing is read. */
/** An entry of which no field is needed. */
export const NOTHING: JsonObject = {};

/** The tokens of an entry's contents, counted as `ctx stats` does. */
export function countsOf(contents: EntryContents) {
  const ledger = emptyBreakdown();
  addContents(ledger, contents, BY_CHARACTERS);
  return {
    tokens_estimated: breakdownTotal(ledger),
    text_tokens_estimated: textTokens(ledger),
    thinking_tokens_estimated: ledger.thinking,
    tool_call_tokens_estimated: ledger['tool calls'],
    image_tokens_estimated: ledger.images,
    system_tokens_estimated: ledger.system,
    tool_definition_tokens_estimated: ledger['tool definitions'],
  } satisfies Row;
}

/** The tokens without a category of their own. */
function textTokens(ledger: TokenBreakdown): number {
  const others = ledger.thinking + ledger['tool calls'] + ledger.images + ledger.system + ledger['tool definitions'];
  return breakdownTotal(ledger) - others;
}

/** The text of an entry's contents. */
export function textsOf({ message, parts }: EntryContents) {
  const blocks = message ? blocksOf(message) : [];
  const ofType = (name: string): readonly JsonObject[] => blocks.filter(({ type }) => type === name);
  const texts = [...(message ? [] : parts), ...ofType('text')];
  return {
    text: joined(texts.map(({ text }) => text)),
    thinking: joined(ofType('thinking').map(({ thinking }) => thinking)),
    tool_calls: ofType('toolCall').length,
    images: ofType('image').length,
  } satisfies Row;
}

function joined(texts: readonly unknown[]): string {
  return texts.map((text) => asString(text) ?? '').join('\n');
}
