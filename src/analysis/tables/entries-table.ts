import { columnFrom, defineTable, nullableColumn, textColumn, truthColumn, wholeColumn } from './define.js';
import { ENTRY_COLUMNS } from './shared-columns.js';

export const entriesTable = defineTable({
  name: 'entries',
  about: 'an entry of any branch and type',
  columns: {
    ...ENTRY_COLUMNS,
    parent_id: nullableColumn.text('id of the parent entry'),
    type: nullableColumn.text('type of the entry, such as `message` or `compaction`'),
    role: nullableColumn.text('role of a `message`'),
    custom_type: columnFrom('outline', nullableColumn.text('type that an extension gave its own entry')),
    target_id: nullableColumn.text('target of a label or an edit, or the first entry that a compaction keeps'),
    bytes: wholeColumn('length of the line, including the newline'),
    in_context: columnFrom(
      'replay',
      truthColumn('whether its message is in the context at the leaf, unchanged or edited'),
    ),
    turn: nullableColumn.whole('number of turns begun on the active path so far; null outside that path'),
    request: nullableColumn.whole('number of answered requests on the active path so far; null outside that path'),
    provider: columnFrom('outline', nullableColumn.text('provider of the answer, or of a model change')),
    model: columnFrom('outline', nullableColumn.text('model of the answer, or of a model change')),
    tool_name: columnFrom('outline', nullableColumn.text('tool of a tool result')),
    is_error: columnFrom('outline', nullableColumn.truth('whether the tool of a tool result failed')),
    stop_reason: columnFrom('outline', nullableColumn.text('stop reason of an answer')),
    error: columnFrom('outline', nullableColumn.text('error message of an answer')),
    tokens_estimated: columnFrom(
      'contents',
      wholeColumn('tokens that the entry adds to the context; 0 if it adds none'),
    ),
    preview: columnFrom('contents', textColumn('description of the entry, at most 240 characters')),
  },
});
