import { defineTable, maybe, OF_ENTRY, text, whole } from './define.js';

export const toolCalls = defineTable({
  name: 'tool_calls',
  about: 'a call of a tool in an answer, with the result that came back',
  columns: {
    ...OF_ENTRY,
    call: whole('its place among the calls of the answer, from 0'),
    tool_call_id: maybe.text('the id of the call'),
    tool_name: text('the name of the tool; `?` where there is none'),
    arguments: text('its arguments as JSON; `{}` where they are nested too deeply'),
    provider: maybe.text('who answered'),
    model: maybe.text('the model that called'),
    tokens_estimated: whole('of the call with its arguments'),
    result_line: maybe.whole('the line of its result; null where none follows'),
    result_entry_id: maybe.text('the id of the entry of its result'),
    result_time: maybe.time('when its result was written, UTC'),
    is_error: maybe.truth('its result says that the tool failed'),
    result_tokens_estimated: maybe.whole('of its result'),
  },
});
