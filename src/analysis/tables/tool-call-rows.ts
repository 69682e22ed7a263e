import { jsonText } from '#base/json-length.js';
import { asString, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { tokensByBlock, BY_CHARACTERS } from '#context/replay/tokens.js';
import { type Head, idText } from '#session/table/head.js';
import type { EntryPart, RowOf } from './define.js';
import { answerIn, messageIn } from './message-row.js';
import { timeOf } from './row-groups.js';
import type { toolCalls } from './tool-calls.js';

type Row = RowOf<typeof toolCalls>;

/** The calls of a session, each with its result once that has come. */
export class ToolCallRows {
  readonly rows: Row[] = [];
  /** The places of calls whose result is still to come, by their id. */
  private readonly waiting = new Map<unknown, number>();

  takeAnswer(head: Head, entry: JsonObject, ofEntry: EntryPart): void {
    const { provider, model } = answerIn(head, entry);
    let call = 0;
    // The head says that it is an assistant message.
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

  /** `tokens` is what the result was counted as. */
  takeResult(head: Head, entry: JsonObject, tokens: number): void {
    const { toolCallId, isError } = messageIn(entry);
    const at = this.waiting.get(toolCallId);
    const row = at === undefined ? undefined : this.rows[at];
    if (at === undefined || !row) return;
    this.waiting.delete(toolCallId);
    this.rows[at] = {
      ...row,
      result_line: head.line,
      result_entry_id: idText(head.id),
      result_time: timeOf(head.time),
      is_error: isError === true,
      result_tokens_estimated: tokens,
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
