import { asString, type JsonObject, jsonText } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { BY_CHARACTERS, tokensByBlock, usageNumbers } from '#context/replay/tokens.js';
import { entryPreview } from '#context/words/entry-text.js';
import { titleOf } from '#context/words/message-text.js';
import { modelOfChange } from '#session/model-change.js';
import { readAnswerEnd } from '#session/scan/answer-end.js';
import { parentSessionOf } from '#session/scan/peek.js';
import { countDamage, type Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { contentsOf } from '../stats/token-breakdown.js';
import { tokensUsed, usageOf } from '../stats/usage-sums.js';
import type { EntryPart, RowOf } from './define.js';
import type { EntryPosition } from './of-session.js';
import type { Replayed } from './replayed.js';
import {
  answerIn,
  CollectedRows,
  countsOf,
  maybeWhole,
  messageIn,
  resultIn,
  type RowGroup,
  textsOf,
  timeOf,
  wholeOf,
} from './row-groups.js';
import type { TableName, toolCalls, usage } from './index.js';

type Row = RowOf<typeof toolCalls>;

/** The calls of a session, each with its result once it follows. */
class ToolCallRows {
  readonly rows: Row[] = [];
  /** The indexes of calls without a result so far, by id. */
  private readonly waiting = new Map<unknown, number>();

  takeAnswer(head: Head, entry: JsonObject, ofEntry: EntryPart): void {
    const { provider, model } = answerIn(head, entry);
    let call = 0;
    // The head confirms that it is an assistant message.
    for (const { block, tokens } of tokensByBlock(messageIn(entry) as LlmMessage, BY_CHARACTERS)) {
      if (block['type'] !== 'toolCall') continue;
      this.waiting.set(block['id'], this.rows.length);
      this.rows.push({
        ...ofEntry,
        call,
        tool_call_id: asString(block['id']),
        tool_name: asString(block['name']) ?? '?',
        arguments: jsonText(block['arguments'] ?? null) ?? '{}',
        provider,
        model,
        tokens_estimated: tokens,
        ...NO_RESULT,
      });
      call += 1;
    }
  }

  takeResult(head: Head, entry: JsonObject): void {
    const { toolCallId, isError } = messageIn(entry);
    const at = this.waiting.get(toolCallId);
    const row = at === undefined ? undefined : this.rows[at];
    if (at === undefined || !row) return;
    this.waiting.delete(toolCallId);
    const contents = contentsOf(entry);
    this.rows[at] = {
      ...row,
      result_line: head.line,
      result_entry_id: idText(head.id),
      result_time: timeOf(head.time),
      is_error: isError === true,
      result_tokens_estimated: contents ? countsOf(contents).tokens_estimated : 0,
    };
  }
}

const NO_RESULT = {
  result_line: null,
  result_entry_id: null,
  result_time: null,
  is_error: null,
  result_tokens_estimated: null,
} satisfies Partial<Row>;

/** Collects the rows of a session from its entries, each given once. */
export class SessionRows {
  /** The length of the texts in memory. */
  characters = 0;
  private shared = 0;
  private readonly times = { first: Infinity, last: -Infinity };
  private readonly sessions = new CollectedRows('sessions');
  private readonly entries = new CollectedRows('entries');
  private readonly messages = new CollectedRows('messages');
  private readonly toolCalls = new CollectedRows('tool_calls');
  private readonly usage = new CollectedRows('usage');
  private readonly envelopes = new CollectedRows('envelopes');
  private readonly calls = new ToolCallRows();

  constructor(
    private readonly session: Session,
    private readonly wanted: ReadonlySet<TableName>,
  ) {}

  /** Takes an entry for the row of its session. */
  note(head: Head, { ofEntry }: EntryPosition): void {
    if (ofEntry.shared) this.shared += 1;
    this.noteTime(head.time);
  }

  /** Reads an entry as far as its rows need it; null if no table has a row of it. */
  read(head: Head): JsonObject | null {
    const { session, wanted } = this;
    const isCall = wanted.has('tool_calls') && (head.role === 'assistant' || head.role === 'toolResult');
    if (isCall || wanted.has('entries') || wanted.has('messages')) return session.entry(head);
    if (!wanted.has('usage') || head.usageLength === 0) return null;
    return readAnswerEnd(session, head) ?? session.entry(head);
  }

  /** `isShown`: whether its message is in the context at the leaf. */
  take(head: Head, entry: JsonObject, place: EntryPosition, isShown: boolean): void {
    const { wanted } = this;
    const { ofEntry } = place;
    if (wanted.has('entries') || wanted.has('messages')) this.takeContents(head, entry, place, isShown);
    if (wanted.has('usage')) this.takeUsage(head, entry, place);
    if (!wanted.has('tool_calls')) return;
    if (head.role === 'assistant') this.calls.takeAnswer(head, entry, ofEntry);
    else if (head.role === 'toolResult') this.calls.takeResult(head, entry);
  }

  /** Adds the values that need the whole session. */
  end({ requests, contextTokens, isPreambleKnown }: Replayed): void {
    const { session, times } = this;
    const { header, file, tree } = session;
    for (const row of requests) this.envelopes.add(row);
    if (!this.wanted.has('sessions')) return;
    this.sessions.add({
      session_id: header.id,
      file,
      cwd: header.cwd,
      title: titleOf(session),
      version: maybeWhole(header.version),
      parent_session: parentSessionOf(header.fields),
      first_time: timeOf(times.first),
      last_time: timeOf(times.last),
      entries: tree.heads.length,
      shared_entries: this.shared,
      context_tokens_estimated: wholeOf(contextTokens()),
      tokenizer: BY_CHARACTERS.name,
      preamble_known: isPreambleKnown,
      problems: countDamage(session),
    });
  }

  /** Returns the messages so far, which need most of the memory. */
  *takeTexts(): Generator<RowGroup> {
    this.characters = 0;
    yield* this.messages.take();
  }

  *takeAll(): Generator<RowGroup> {
    for (const row of this.calls.rows) this.toolCalls.add(row);
    for (const table of [this.sessions, this.entries, this.messages, this.toolCalls, this.usage, this.envelopes])
      if (this.wanted.has(table.name)) yield* table.take();
  }

  private takeContents(head: Head, entry: JsonObject, place: EntryPosition, isShown: boolean): void {
    const { wanted } = this;
    const contents = contentsOf(entry);
    const counts = contents && countsOf(contents);
    if (wanted.has('entries')) this.takeEntry(head, entry, place, { isShown, tokens: counts?.tokens_estimated ?? 0 });
    if (!wanted.has('messages') || !contents || !counts) return;
    const texts = textsOf(contents);
    this.characters += texts.text.length + texts.thinking.length;
    const { type, role } = head;
    const of = { type, role, ...answerIn(head, entry), ...resultIn(head, entry) };
    this.messages.add({ ...place.ofEntry, ...of, ...counts, ...texts });
  }

  private takeEntry(
    head: Head,
    entry: JsonObject,
    { ofEntry, turn, request }: EntryPosition,
    { isShown, tokens }: { readonly isShown: boolean; readonly tokens: number },
  ): void {
    const { type, role } = head;
    const answer = answerIn(head, entry);
    const { tool_name, is_error } = resultIn(head, entry);
    const { provider, modelId: model } = type === 'model_change' ? modelOfChange(entry) : {};
    const changed = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) };
    this.entries.add({
      ...ofEntry,
      parent_id: idText(head.parentId),
      type,
      role,
      custom_type: asString(entry['customType']),
      target_id: idText(head.target),
      bytes: head.length,
      in_context: isShown,
      turn,
      request,
      ...answer,
      ...changed,
      tool_name,
      is_error,
      tokens_estimated: tokens,
      preview: previewOf(entry),
    });
  }

  private takeUsage(head: Head, entry: JsonObject, { ofEntry, turn, request }: EntryPosition): void {
    const recorded = recordedBy(head, entry);
    if (recorded) this.usage.add({ ...ofEntry, turn, request, ...recorded });
  }

  private noteTime(time: number): void {
    if (Number.isNaN(time)) return;
    this.times.first = Math.min(this.times.first, time);
    this.times.last = Math.max(this.times.last, time);
  }
}

/** Empty for an entry that is nested too deeply to be previewed. */
function previewOf(entry: JsonObject): string {
  try {
    return entryPreview(entry);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

/** The usage that an entry adds to the totals; null for one that adds nothing. */
function recordedBy(head: Head, entry: JsonObject) {
  const record = usageOf(head, entry);
  if (record === null) return null;
  const numbers = usageNumbers(record.usage);
  return {
    source: record.source,
    model: record.model,
    input_recorded: wholeOf(numbers.input),
    output_recorded: wholeOf(numbers.output),
    cache_read_recorded: wholeOf(numbers.cacheRead),
    cache_write_recorded: wholeOf(numbers.cacheWrite),
    total_recorded: wholeOf(tokensUsed(numbers)),
    cost_recorded: numbers.cost,
  } satisfies Partial<RowOf<typeof usage>>;
}
