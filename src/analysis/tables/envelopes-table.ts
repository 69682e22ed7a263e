import { defineTable, nullableColumn, truthColumn, wholeColumn } from './define.js';
import { ENTRY_COLUMNS } from './shared-columns.js';

export const envelopesTable = defineTable({
  name: 'envelopes',
  about: 'a request of the active path: its context, its cost, and its cache reads',
  columns: {
    ...ENTRY_COLUMNS,
    request: wholeColumn('number on the path, from 1; `line` and `entry_id` are those of the answer'),
    turn: wholeColumn('number of turns begun so far'),
    provider: nullableColumn.text('who answered'),
    model: nullableColumn.text('model that answered'),
    thinking_level: nullableColumn.text('as the session last set it; `off` if it never did'),
    stop_reason: nullableColumn.text('stop reason of the answer'),
    error: nullableColumn.text('error message of the answer'),
    system_parts: wholeColumn('number of recorded system parts'),
    tools: wholeColumn('number of recorded tool definitions'),
    system_tokens_estimated: wholeColumn('tokens of the system parts'),
    tools_tokens_estimated: wholeColumn('tokens of the tool definitions'),
    messages_tokens_estimated: wholeColumn('tokens of the messages'),
    total_tokens_estimated: wholeColumn('sum of all three'),
    prompt_tokens_recorded: nullableColumn.whole(
      'prompt tokens that the provider reported: input, cache read and cache write; null if it reported none',
    ),
    input_recorded: nullableColumn.whole('tokens that were neither read from a cache nor written to one'),
    cache_read_recorded: nullableColumn.whole('tokens that were read from the cache'),
    cache_write_recorded: nullableColumn.whole('tokens that were written to the cache'),
    cache_write_1h_recorded: nullableColumn.whole(
      'part of them that is kept for an hour; null if the split is not recorded',
    ),
    cache_retention_minutes: nullableColumn.whole(
      'lifetime in minutes of the cache that the request left; 5 where none is recorded',
    ),
    cache_expired_recorded: nullableColumn.whole('tokens of the previous prompt whose lifetime had ended'),
    output_recorded: nullableColumn.whole('tokens of the answer'),
    cost_recorded: nullableColumn.money('cost in dollars; null if no cost is recorded'),
    compactions: wholeColumn('number of earlier compactions on the path'),
    transforms: wholeColumn('number of earlier transforms on the path'),
    edits: wholeColumn('number of earlier edits on the path'),
    unbilled: truthColumn('whether it failed before anything was billed; such requests are not compared'),
    prefix_tokens_estimated: nullableColumn.whole(
      'tokens of the prefix that it shares with the previous request; null for the first',
    ),
    cache_read_expected_estimated: nullableColumn.whole(
      'tokens that the cache could provide; null if no earlier request is recorded',
    ),
    idle_ms: nullableColumn.whole('milliseconds since the previous request'),
    cache_break: nullableColumn.text('cause of a cache break, as in `ctx cache`; null if there is none'),
    break_entry_id: nullableColumn.text('id of the entry that broke the cache'),
    break_undeclared: nullableColumn.truth('whether the break is a change that should give a reason, and does not'),
    rebilled_tokens_recorded: nullableColumn.whole(
      'tokens of the previous request that were billed again at full price',
    ),
    rebilled_tokens_estimated: nullableColumn.whole('estimate of the re-billed tokens, if no tokens are recorded'),
    rebilled_cost: nullableColumn.money('cost of the re-billed tokens in dollars, at the recorded rates'),
    rebilled_cost_listed: nullableColumn.money('the same, with listed prices where no rates are recorded'),
    pi_miss_tokens_recorded: nullableColumn.whole("missed tokens by Pi's own rule"),
  },
});
