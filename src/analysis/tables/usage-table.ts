import type { CostPart } from '../stats/cost-parts.js';
import { defineTable, nullableColumn, textColumn } from './define.js';
import { ENTRY_COLUMNS, USAGE_COLUMNS } from './shared-columns.js';

/** The column with the dollars of each part of a cost. Together they are `cost_recorded`, or else `cost_listed`. */
export const COST_PART_COLUMNS = {
  cacheRead: 'cost_cache_read',
  cacheWrite5m: 'cost_cache_write_5m',
  cacheWrite1h: 'cost_cache_write_1h',
  cacheWrite: 'cost_cache_write',
  input: 'cost_input',
  output: 'cost_output',
  other: 'cost_other',
} as const satisfies { readonly [Part in CostPart]: string };

export const usageTable = defineTable({
  name: 'usage',
  about:
    'a model call with reported usage, as Pi adds them up: on any branch, including failed calls, also those that failed before they were billed',
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
    cost_cache_read: nullableColumn.money(
      'part of the cost, as recorded or else by listed prices: what was read from the cache; null without a cost',
    ),
    cost_cache_write_5m: nullableColumn.money('part of the cost: what was written to the cache for five minutes'),
    cost_cache_write_1h: nullableColumn.money('part of the cost: what was written to the cache for an hour'),
    cost_cache_write: nullableColumn.money(
      'part of the cost: what was written to the cache, if its lifetime is not recorded',
    ),
    cost_input: nullableColumn.money('part of the cost: input tokens outside the cache'),
    cost_output: nullableColumn.money('part of the cost: output tokens'),
    cost_other: nullableColumn.money('part of the cost: what is no token, such as searches, or whose part is unknown'),
  },
});
