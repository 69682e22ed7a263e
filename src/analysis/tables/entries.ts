import { defineTable, maybe, OF_ENTRY, text, truth, whole } from './define.js';

export const entries = defineTable({
  name: 'entries',
  about: 'an entry, of any branch and any type',
  columns: {
    ...OF_ENTRY,
    parent_id: maybe.text('the id of the entry above it'),
    type: maybe.text('the type of the entry, such as `message` or `compaction`'),
    role: maybe.text('of a `message`, its role'),
    custom_type: maybe.text('what an extension calls its own entry'),
    target_id: maybe.text('the entry that a label or an edit is about, or the first one that a compaction keeps'),
    bytes: whole('of the line, newline included'),
    in_context: truth('a message of it is shown to the model at the leaf, as it is or edited'),
    turn: maybe.whole('turns begun on the active path up to here; null off that path'),
    request: maybe.whole('requests answered on the active path up to here; null off that path'),
    provider: maybe.text('who answered, or who was changed to'),
    model: maybe.text('the model that answered, or that was changed to'),
    tool_name: maybe.text('of a tool result'),
    is_error: maybe.truth('of a tool result: the tool failed'),
    stop_reason: maybe.text('why an answer ended'),
    error: maybe.text('what an answer says went wrong'),
    tokens_estimated: whole('of what the entry brings in; 0 for one that brings in nothing itself'),
    preview: text('at most 240 characters that say what it holds'),
  },
});
