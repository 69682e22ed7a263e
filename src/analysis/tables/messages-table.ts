import { columnFrom, defineTable, longTextColumn, nullableColumn, textColumn, wholeColumn } from './define.js';
import { ENTRY_COLUMNS } from './shared-columns.js';

export const messagesTable = defineTable({
  name: 'messages',
  about: 'an entry that adds to the context: a message, a summary or a system message, with its whole text',
  columns: {
    ...ENTRY_COLUMNS,
    type: nullableColumn.text('type of the entry'),
    role: nullableColumn.text('role as it is stored, including roles that Pi does not know'),
    category: textColumn(
      'category of its text by its role, such as `user` or `tool results`: that of `ledger` in `ctx stats --json`',
    ),
    provider: nullableColumn.text('who answered'),
    model: nullableColumn.text('model that answered'),
    tool_name: nullableColumn.text('tool of a tool result'),
    tool_call_id: nullableColumn.text('id of the call that a tool result answers'),
    is_error: nullableColumn.truth('whether the tool of a tool result failed'),
    stop_reason: nullableColumn.text('stop reason of an answer'),
    error: nullableColumn.text('error message of an answer'),
    tool_calls: columnFrom('contents', wholeColumn('number of tool calls')),
    images: columnFrom('contents', wholeColumn('number of images')),
    tokens_estimated: columnFrom(
      'contents',
      wholeColumn('tokens that it adds to the context: the sum of the next six columns'),
    ),
    text_tokens_estimated: columnFrom('contents', wholeColumn('tokens of text, which count for `category`')),
    thinking_tokens_estimated: columnFrom('contents', wholeColumn('of thinking')),
    tool_call_tokens_estimated: columnFrom('contents', wholeColumn('tokens of tool calls with their arguments')),
    image_tokens_estimated: columnFrom('contents', wholeColumn('tokens of images, 1,200 each')),
    system_tokens_estimated: columnFrom('contents', wholeColumn('tokens of the system parts that it declares')),
    tool_definition_tokens_estimated: columnFrom(
      'contents',
      wholeColumn('tokens of the tool definitions that it declares'),
    ),
    text: columnFrom(
      'contents',
      longTextColumn('text as it is sent, or its system parts; blocks are joined by a newline, without images'),
    ),
    thinking: columnFrom('contents', longTextColumn('thinking; empty if there is none')),
  },
});
