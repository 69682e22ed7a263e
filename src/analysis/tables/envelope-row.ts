import { isObject, type JsonObject } from '#base/json.js';
import { usageNumbers } from '#context/replay/tokens.js';
import { isUndeclared } from '../cache/report.js';
import type { CacheRequest } from '../cache/request.js';
import type { RowOf } from './define.js';
import type { envelopes } from './envelopes.js';
import { maybeWhole, wholeOf } from './row-groups.js';

type Row = Partial<RowOf<typeof envelopes>>;

/** What the provider reported for a request. */
export function billed({ usage }: JsonObject) {
  const numbers = isObject(usage) ? usageNumbers(usage) : null;
  return {
    input_recorded: numbers && wholeOf(numbers.input),
    cache_read_recorded: numbers && wholeOf(numbers.cacheRead),
    cache_write_recorded: numbers && wholeOf(numbers.cacheWrite),
    output_recorded: numbers && wholeOf(numbers.output),
    cost_recorded: numbers && numbers.cost,
  } satisfies Row;
}

/** What the cache made of a request. */
export function cacheOf({ usage, isUnbilled, prefix, expectedRead, idle, broken, piMiss }: CacheRequest) {
  const rebilled = broken?.rebilled;
  return {
    prompt_tokens_recorded: maybeWhole(usage?.prompt),
    unbilled: isUnbilled,
    prefix_tokens_estimated: maybeWhole(prefix),
    cache_read_expected_estimated: maybeWhole(expectedRead),
    idle_ms: maybeWhole(idle),
    cache_break: broken?.class ?? null,
    break_entry_id: broken?.entryId ?? null,
    break_undeclared: broken && isUndeclared(broken),
    rebilled_tokens_recorded: rebilled?.isRecorded ? wholeOf(rebilled.tokens) : null,
    rebilled_tokens_estimated: rebilled && !rebilled.isRecorded ? wholeOf(rebilled.tokens) : null,
    rebilled_cost: rebilled?.cost ?? null,
    pi_miss_tokens_recorded: maybeWhole(piMiss),
  } satisfies Row;
}
