import { columnFrom, defineTable, longTextColumn, nullableColumn, textColumn, wholeColumn } from './define.js';
import { ENTRY_COLUMNS } from './shared-columns.js';

export const toolCallsTable = defineTable({
  name: 'tool_calls',
  about: 'a tool call in an answer, with its result',
  columns: {
    ...ENTRY_COLUMNS,
    call: wholeColumn('index among the calls of the answer, from 0'),
    tool_call_id: nullableColumn.text('id of the call'),
    tool_name: textColumn('name of the tool; `?` if there is none'),
    arguments: columnFrom('contents', longTextColumn('arguments as JSON; `{}` if they are nested too deeply')),
    provider: nullableColumn.text('who answered'),
    model: nullableColumn.text('model that made the call'),
    tokens_estimated: columnFrom('contents', wholeColumn('tokens of the call with its arguments')),
    result_line: columnFrom('result', nullableColumn.whole('line of its result; null if there is none')),
    result_entry_id: columnFrom('result', nullableColumn.text('id of the entry of its result')),
    result_time: columnFrom('result', nullableColumn.time('time of its result, UTC')),
    is_error: columnFrom('result', nullableColumn.truth('whether the tool failed')),
    result_tokens_estimated: columnFrom('result contents', nullableColumn.whole('tokens of its result')),
  },
});
