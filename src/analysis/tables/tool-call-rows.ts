import { asString, type JsonObject, jsonText, objectsIn } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { BY_CHARACTERS, type CountedBlock, tokensByBlock } from '#context/replay/tokens.js';
import { type Head, idText } from '#session/table/head.js';
import { contentsOf } from '../stats/token-breakdown.js';
import type { EntryPart, RowOf } from './define.js';
import { answerIn, countsOf, type EntryReader, messageIn, timeOf } from './row-groups.js';
import { hasNeed, type toolCalls, type WantedColumns } from './index.js';

type Row = RowOf<typeof toolCalls>;

/** The calls of a session, each with its result once it follows. */
export class ToolCallRows {
  readonly rows: Row[] = [];
  /** The indexes of calls without a result so far, by id. */
  private readonly waiting = new Map<unknown, number>();
  private readonly withContents: boolean;
  private readonly withResultContents: boolean;
  private readonly withResults: boolean;

  constructor(wanted: WantedColumns) {
    this.withContents = hasNeed(wanted, 'tool_calls', 'contents');
    this.withResultContents = hasNeed(wanted, 'tool_calls', 'result contents');
    this.withResults = this.withResultContents || hasNeed(wanted, 'tool_calls', 'result');
  }

  /** Whether it takes entries with a role. */
  takes(role: string | null): boolean {
    return role === 'assistant' || (role === 'toolResult' && this.withResults);
  }

  take(head: Head, reader: EntryReader, ofEntry: () => EntryPart): void {
    if (head.role === 'toolResult')
      this.takeResult(head, this.withResultContents ? reader.whole() : reader.outline(), this.withResultContents);
    else this.takeAnswer(head, this.withContents ? reader.whole() : reader.outline(), ofEntry);
  }

  private takeAnswer(head: Head, entry: JsonObject, ofEntry: () => EntryPart): void {
    const { provider, model } = answerIn(head, entry);
    let call = 0;
    for (const { block, tokens } of this.blocksOf(messageIn(entry))) {
      if (block['type'] !== 'toolCall') continue;
      this.waiting.set(block['id'], this.rows.length);
      this.rows.push({
        ...ofEntry(),
        call,
        tool_call_id: asString(block['id']),
        tool_name: asString(block['name']) ?? '?',
        arguments: this.withContents ? (jsonText(block['arguments'] ?? null) ?? '{}') : '',
        provider,
        model,
        tokens_estimated: tokens,
        ...NO_RESULT,
      });
      call += 1;
    }
  }

  private blocksOf(message: JsonObject): readonly CountedBlock[] {
    // The head confirms that it is an assistant message.
    if (this.withContents) return tokensByBlock(message as LlmMessage, BY_CHARACTERS);
    return objectsIn(message['content']).map((block) => ({ block, tokens: 0 }));
  }

  private takeResult(head: Head, entry: JsonObject, withContents: boolean): void {
    const { toolCallId, isError } = messageIn(entry);
    const at = this.waiting.get(toolCallId);
    const row = at === undefined ? undefined : this.rows[at];
    if (at === undefined || !row) return;
    this.waiting.delete(toolCallId);
    const contents = withContents ? contentsOf(entry) : null;
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
