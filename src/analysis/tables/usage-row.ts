import type { JsonObject } from '#base/json.js';
import { usageNumbers } from '#context/replay/tokens.js';
import type { Head } from '#session/table/head.js';
import { usageOf } from '../stats/usage-of.js';
import { tokensUsed } from '../stats/usage-sums.js';
import type { RowOf } from './define.js';
import { wholeOf } from './row-groups.js';
import type { usage } from './usage.js';

/** What an entry adds to the totals; null for one that adds nothing. */
export function recordedBy(head: Head, entry: JsonObject) {
  const record = usageOf(head, entry);
  if (record === null) return null;
  const numbers = usageNumbers(record.usage);
  return {
    source: record.source,
    model: record.model,
    input_recorded: wholeOf(numbers.input),
    output_recorded: wholeOf(numbers.output),
    cache_read_recorded: wholeOf(numbers.cacheRead),
    cache_write_recorded: wholeOf(numbers.cacheWrite),
    total_recorded: wholeOf(tokensUsed(numbers)),
    cost_recorded: numbers.cost,
  } satisfies Partial<RowOf<typeof usage>>;
}
