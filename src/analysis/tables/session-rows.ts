import { asString, type JsonObject } from '#base/json.js';
import type { PriceList } from '#context/models/prices.js';
import { buildPriceList } from '#context/models/registry.js';
import { readModelChange } from '#context/replay/settings.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import type { WalkStep } from '#context/walk.js';
import { describeEntry } from '#context/words/entry-text.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Entry } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { OutlineReader } from '#session/scan/entry-outline.js';
import { parentSessionOf } from '#session/scan/header.js';
import { countDamage, type Session } from '#session/session.js';
import { readEntryContents } from '../stats/entry-contents.js';
import { findTimeSpan } from '../stats/session-basics.js';
import type { SharedEntries } from '../stats/shared-entries.js';
import { listUsages } from '../stats/usage-records.js';
import type { EntryPosition } from './entry-position.js';
import { EntryReader } from './entry-reader.js';
import {
  countContentTokens,
  nameAgent,
  NO_FIELDS,
  readAnswerValues,
  readContentTexts,
  readResultValues,
  toCalendarTime,
  toWhole,
  toWholeOrNull,
} from './entry-values.js';
import type { PathEnd, RequestRow } from './replayed-path.js';
import type { OwnRow, TableRows } from './row-groups.js';
import { ToolCallRows } from './tool-call-rows.js';
import { needsPrices, readUsageValues } from './usage-values.js';
import { hasNeed, type QueriedColumns } from './index.js';

/** Collects the rows of a session from its entries, each given once. */
export class SessionRows {
  private readonly calls: ToolCallRows;
  private readonly withEntries: 'heads' | 'outlines' | 'contents';
  private readonly withContents: boolean;
  private readonly prices: PriceList;

  constructor(
    private readonly session: Session,
    private readonly wanted: QueriedColumns,
    private readonly rows: TableRows,
    private readonly outlines: OutlineReader,
  ) {
    this.calls = new ToolCallRows(wanted, session.tree.heads, rows);
    const withOutlines = hasNeed(wanted, 'entries', 'outline') ? 'outlines' : 'heads';
    this.withEntries = hasNeed(wanted, 'entries', 'contents') ? 'contents' : withOutlines;
    this.withContents = hasNeed(wanted, 'messages', 'contents');
    this.prices = needsPrices(wanted) ? buildPriceList() : () => null;
  }

  takes(index: number): boolean {
    const { wanted } = this;
    const { heads } = this.session.tree;
    if (wanted.has('entries') || wanted.has('messages')) return true;
    if (wanted.has('usage') && heads.usageLengthAt(index) > 0) return true;
    return wanted.has('tool_calls') && this.calls.takes(heads.roleAt(index));
  }

  take(head: Head, place: EntryPosition, step: WalkStep | null): void {
    const { wanted } = this;
    const reader = new EntryReader(this.session, head, step, this.outlines);
    if (wanted.has('messages')) this.takeMessage(head, reader, place);
    if (wanted.has('entries')) this.takeEntry(head, reader, place);
    if (wanted.has('usage') && head.usageLength > 0) this.takeUsage(head, reader.end(), place);
    if (wanted.has('tool_calls') && this.calls.takes(head.role)) this.calls.take(head, reader, place);
  }

  takeRequest(place: EntryPosition, { row, costs }: RequestRow): void {
    this.rows.grow(0);
    this.rows.of.envelopes.add(place, row);
    this.rows.of.envelopes.addLate(costs);
  }

  /** Adds the values that need the whole session. */
  end(end: PathEnd | null, shared: SharedEntries): void {
    if (end) this.markShown(end);
    if (this.wanted.has('sessions')) this.addSession(end, shared);
  }

  private markShown({ linesShown }: PathEnd): void {
    const { heads } = this.session.tree;
    for (let index = 0; index < heads.length; index += 1)
      this.rows.of.entries.addLate(linesShown.has(heads.lineAt(index)) ? SHOWN : HIDDEN);
  }

  private addSession(end: PathEnd | null, shared: SharedEntries): void {
    const { header, file, tree } = this.session;
    const { first, last } = findTimeSpan(this.session);
    const own = { session_id: header.id, file, cwd: header.cwd, agent: nameAgent(this.session) };
    this.rows.of.sessions.add(own, {
      title: this.wanted.get('sessions')?.has('title') ? findSessionTitle(this.session) : '',
      version: toWholeOrNull(header.version),
      parent_session: parentSessionOf(header.fields),
      is_subagent: this.session.agent?.isSubagent ?? false,
      subagent_kind: this.session.agent?.subagentKind ?? null,
      first_time: toCalendarTime(first ?? Number.NaN),
      last_time: toCalendarTime(last ?? Number.NaN),
      entries: tree.heads.length,
      shared_entries: shared.listShared(this.session).length,
      context_tokens_estimated: end ? toWhole(end.contextTokens()) : 0,
      tokenizer: BY_CHARACTERS.name,
      preamble_known: end?.isPreambleKnown ?? false,
      problems: countDamage(this.session),
    });
  }

  private takeMessage(head: Head, reader: EntryReader, place: EntryPosition): void {
    const entry = reader.whole();
    const contents = readEntryContents(entry);
    if (!contents) return;
    const { type, role } = head;
    const answer = readAnswerValues(head, entry);
    const result = readResultValues(head, entry);
    const texts = this.withContents ? readContentTexts(contents) : NO_TEXTS;
    const counts = this.withContents ? reader.counts(contents) : NO_COUNTS;
    this.rows.grow(texts.text.length + texts.thinking.length);
    // Spread syntax would take several times as long.
    this.rows.of.messages.add(place, {
      type,
      role,
      category: contents.textCategory,
      provider: answer.provider,
      model: answer.model,
      tool_name: result.tool_name,
      tool_call_id: result.tool_call_id,
      is_error: result.is_error,
      stop_reason: answer.stop_reason,
      error: answer.error,
      tool_calls: texts.tool_calls,
      images: texts.images,
      tokens_estimated: counts.tokens_estimated,
      text_tokens_estimated: counts.text_tokens_estimated,
      thinking_tokens_estimated: counts.thinking_tokens_estimated,
      tool_call_tokens_estimated: counts.tool_call_tokens_estimated,
      image_tokens_estimated: counts.image_tokens_estimated,
      system_tokens_estimated: counts.system_tokens_estimated,
      tool_definition_tokens_estimated: counts.tool_definition_tokens_estimated,
      text: texts.text,
      thinking: texts.thinking,
    });
  }

  private readEntry({ type }: Head, reader: EntryReader): JsonObject {
    if (this.withEntries === 'contents') return reader.whole();
    if (this.withEntries === 'heads') return NO_FIELDS;
    return type === 'message' ? reader.outline() : reader.whole();
  }

  private takeEntry(head: Head, reader: EntryReader, place: EntryPosition): void {
    const { type, role } = head;
    const entry = this.readEntry(head, reader);
    const { customType } = entry;
    const isWhole = this.withEntries === 'contents';
    const contents = isWhole ? readEntryContents(entry) : null;
    const answer = readAnswerValues(head, entry);
    const { tool_name, is_error } = readResultValues(head, entry);
    const { provider = answer.provider, modelId = answer.model } =
      type === 'model_change' ? readModelChange(entry) : {};
    const row: OwnRow<'entries'> = {
      parent_id: formatId(head.parentId),
      type,
      role,
      custom_type: asString(customType),
      target_id: formatId(head.target),
      bytes: head.length,
      turn: place.turn,
      request: place.request,
      provider,
      model: modelId,
      tool_name,
      is_error,
      stop_reason: answer.stop_reason,
      error: answer.error,
      tokens_estimated: contents ? reader.counts(contents).tokens_estimated : 0,
      preview: isWhole ? previewEntry(entry) : '',
    };
    this.rows.grow(row.preview.length);
    this.rows.of.entries.add(place, row);
  }

  private takeUsage(head: Head, entry: Entry, place: EntryPosition): void {
    for (const record of listUsages(head, entry)) {
      this.rows.grow(0);
      const recorded = readUsageValues(record, this.prices);
      this.rows.of.usage.add(place, { turn: place.turn, request: place.request, ...recorded });
    }
  }
}

const SHOWN = { in_context: true };
const HIDDEN = { in_context: false };

/** The values of a message whose texts are not asked for. */
const NO_TEXTS = { text: '', thinking: '', tool_calls: 0, images: 0 };
const NO_COUNTS = countContentTokens(
  { message: null, textCategory: 'user', customType: null, parts: [], tools: [] },
  () => [],
);

/** Empty for an entry that is nested too deeply to be previewed. */
function previewEntry(entry: Entry): string {
  try {
    return describeEntry(entry);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}
