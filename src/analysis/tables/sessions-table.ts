import { columnFrom, defineTable, nullableColumn, textColumn, truthColumn, wholeColumn } from './define.js';
import { SESSION_COLUMNS } from './shared-columns.js';

export const sessionsTable = defineTable({
  name: 'sessions',
  about: 'a session file',
  columns: {
    ...SESSION_COLUMNS,
    title: textColumn('name of the session, else the first words of the user'),
    version: nullableColumn.whole('version of the format; 1 if the header has none'),
    parent_session: nullableColumn.text('session that it was forked from, from the header'),
    is_subagent: truthColumn('whether another session started it as a subagent, as far as its file tells'),
    subagent_kind: nullableColumn.text('kind of subagent, such as `explorer`, if its file names one'),
    first_time: nullableColumn.time('earliest time of an entry, UTC'),
    last_time: nullableColumn.time('latest time of an entry, UTC'),
    entries: wholeColumn('number of entries on all branches'),
    shared_entries: wholeColumn('number of entries that are `shared`'),
    context_tokens_estimated: columnFrom(
      'replay',
      wholeColumn(
        'size of the context at the leaf, as in `ctx show`: the last recorded request, plus a calibrated estimate of later entries',
      ),
    ),
    tokenizer: textColumn('tokenizer of all other estimates, in this and all other tables'),
    preamble_known: columnFrom(
      'replay',
      truthColumn('whether the session records its system prompt and tools; if not, other estimates exclude them'),
    ),
    problems: wholeColumn('number of damaged places in the file; `ctx check` lists them'),
  },
});
