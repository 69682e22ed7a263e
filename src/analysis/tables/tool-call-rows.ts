import { formatJson } from '#base/json-text.js';
import { asString } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { CountedBlock } from '#context/size/tokens.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { StoredMessage } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';
import { readEntryContents } from '../stats/entry-contents.js';
import type { EntryPosition } from './entry-position.js';
import type { EntryReader } from './entry-reader.js';
import { readAnswerValues, readEntryMessagePart, toCalendarTime } from './entry-values.js';
import type { LateRow, OwnRow, TableRows } from './row-groups.js';
import { hasNeed, type QueriedColumns } from './index.js';

/** Adds the calls of a session, each with its result once it follows. */
export class ToolCallRows {
  /** The calls without a result so far, by id. */
  private readonly waiting = new Map<unknown, CallResult>();
  private readonly withContents: boolean;
  private readonly withResultContents: boolean;
  private readonly withResults: boolean;

  constructor(
    wanted: QueriedColumns,
    private readonly heads: Heads,
    private readonly rows: TableRows,
  ) {
    this.withContents = hasNeed(wanted, 'tool_calls', 'contents');
    this.withResultContents = hasNeed(wanted, 'tool_calls', 'result contents');
    this.withResults = this.withResultContents || hasNeed(wanted, 'tool_calls', 'result');
  }

  takes(role: string | null): boolean {
    return role === 'assistant' || (role === 'toolResult' && this.withResults);
  }

  take(head: Head, reader: EntryReader, place: EntryPosition): void {
    if (head.role === 'toolResult') this.takeResult(head, reader);
    else this.takeAnswer(head, reader, place);
  }

  private takeAnswer(head: Head, reader: EntryReader, place: EntryPosition): void {
    const entry = this.withContents ? reader.whole() : reader.outline();
    const { provider, model } = readAnswerValues(head, entry);
    let call = 0;
    for (const counted of this.blocksOf(readEntryMessagePart(entry), reader)) {
      const { block } = counted;
      if (block.type !== 'toolCall') continue;
      const row: OwnRow<'tool_calls'> = {
        call,
        tool_call_id: asString(block.id),
        tool_name: asString(block.name) ?? '?',
        arguments: this.withContents ? (formatJson(block.arguments ?? null) ?? '{}') : '',
        provider,
        model,
        tokens_estimated: counted.tokens,
      };
      const result = new CallResult(this.heads);
      this.waiting.set(block.id, result);
      this.rows.grow(row.arguments.length);
      this.rows.of.tool_calls.add(place, row);
      this.rows.of.tool_calls.addLate(result);
      call += 1;
    }
  }

  private blocksOf(message: StoredMessage, reader: EntryReader): readonly CountedBlock[] {
    // The head confirms that it is an assistant message.
    if (this.withContents) return reader.blocks(message as LlmMessage);
    return listBlocks(message).map((block) => ({ block, tokens: 0 }));
  }

  private takeResult(head: Head, reader: EntryReader): void {
    const entry = this.withResultContents ? reader.whole() : reader.result();
    const { toolCallId, isError } = readEntryMessagePart(entry);
    const result = this.waiting.get(toolCallId);
    if (!result) return;
    this.waiting.delete(toolCallId);
    const contents = this.withResultContents ? readEntryContents(entry) : null;
    const tokens = contents ? reader.counts(contents).tokens_estimated : 0;
    result.take(head.index, isError === true, tokens);
  }
}

/** The result of a call. It waits for the end of the session, so it holds less than its columns. */
class CallResult implements LateRow<'tool_calls'> {
  is_error: boolean | null = null;
  result_tokens_estimated: number | null = null;
  private index = NO_ENTRY;

  constructor(private readonly heads: Heads) {}

  take(index: number, isError: boolean, tokens: number): void {
    this.index = index;
    this.is_error = isError;
    this.result_tokens_estimated = tokens;
  }

  get result_line(): number | null {
    return this.head?.line ?? null;
  }

  get result_entry_id(): string | null {
    return this.head ? formatId(this.head.id) : null;
  }

  get result_time(): number | null {
    return this.head ? toCalendarTime(this.head.time) : null;
  }

  private get head(): Head | undefined {
    return this.heads.at(this.index);
  }
}

const NO_ENTRY = -1;
