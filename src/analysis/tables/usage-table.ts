import { defineTable, nullableColumn, textColumn } from './define.js';
import { ENTRY_COLUMNS, USAGE_COLUMNS } from './shared-columns.js';

export const usagesTable = defineTable({
  name: 'usage',
  about: 'a model call with reported usage, as Pi adds them up: on any branch, including failed calls',
  columns: {
    ...ENTRY_COLUMNS,
    turn: nullableColumn.whole('number of turns begun on the active path so far; null outside that path'),
    request: nullableColumn.whole('number of answered requests on the active path so far; null outside that path'),
    source: textColumn(
      'purpose of the call: `requests`, `compactions`, `branch summaries`, `tools`, `side calls`, `cache warming`, `other`',
    ),
    model: textColumn('`provider/model`, as `ctx stats` groups it; `Tools/summaries` if none is recorded'),
    ...USAGE_COLUMNS,
    cache_write_1h_recorded: nullableColumn.whole(
      'part of `cache_write_recorded` that is kept for an hour, not for five minutes; null if the split is not recorded',
    ),
    cost_listed: nullableColumn.money(
      'cost in dollars at the listed price of the model, if no cost is recorded; else null',
    ),
  },
});
