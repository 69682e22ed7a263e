import { defineTable, maybe, OF_ENTRY, text, whole } from './define.js';

export const messages = defineTable({
  name: 'messages',
  about:
    'an entry that brings something into the context: a message, a summary or a system message, with its whole text',
  columns: {
    ...OF_ENTRY,
    type: maybe.text('the type of the entry'),
    role: maybe.text('the role as it is stored; a `role` that Pi does not know is kept'),
    category: text('what its text counts for in `ctx stats`, such as `user` or `tool results`'),
    provider: maybe.text('who answered'),
    model: maybe.text('the model that answered'),
    tool_name: maybe.text('of a tool result'),
    tool_call_id: maybe.text('the call that a tool result answers'),
    is_error: maybe.truth('of a tool result: the tool failed'),
    stop_reason: maybe.text('why an answer ended'),
    error: maybe.text('what an answer says went wrong'),
    tool_calls: whole('tools that it calls'),
    images: whole('images in it'),
    tokens_estimated: whole('of all that it brings in: the six columns below together'),
    text_tokens_estimated: whole('of text, which counts for `category`'),
    thinking_tokens_estimated: whole('of thinking'),
    tool_call_tokens_estimated: whole('of tool calls with their arguments'),
    image_tokens_estimated: whole('of images, 1,200 each'),
    system_tokens_estimated: whole('of system parts that it declares'),
    tool_definition_tokens_estimated: whole('of tool definitions that it declares'),
    text: text('its text as it is sent, or its system parts; blocks are joined by a newline, images left out'),
    thinking: text('its thinking; empty where there is none'),
  },
});
