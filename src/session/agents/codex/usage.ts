import { asCount, isObject, type JsonObject } from '#base/json.js';

/** The counters of one request in the payload of a line; null if it records none. */
export function countersIn({ type, usage, info }: JsonObject): JsonObject | null {
  const counters = type === 'token_count' ? isObject(info) && info['last_token_usage'] : usage;
  if (!isObject(counters)) return null;
  return count(counters['input_tokens']) + count(counters['output_tokens']) > 0 ? counters : null;
}

/** A text that is identical in lines that repeat a count: of its counters only the numbers count. */
export function countKey({ info, response_id: response, usage }: JsonObject): string {
  const totals = isObject(info) ? (info['total_token_usage'] ?? info) : (response ?? usage);
  if (typeof totals === 'string') return JSON.stringify(totals);
  return JSON.stringify(totals ?? null, (_, value: unknown) => (typeof value === 'string' ? '' : value));
}

/** The context window in the payload of a `token_count`; null if it has none. */
export function windowIn({ info }: JsonObject): number | null {
  const window = isObject(info) ? asCount(info['model_context_window']) : null;
  return window !== null && window > 0 ? window : null;
}

/** The usage in Pi's terms: what was read from the cache is part of the input of Codex, and not of Pi's. */
export function usageOf(counters: JsonObject): JsonObject {
  const [input, output] = [count(counters['input_tokens']), count(counters['output_tokens'])];
  const cacheRead = count(counters['cached_input_tokens']);
  const cacheWrite = count(counters['cache_write_input_tokens']);
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    reasoning: count(counters['reasoning_output_tokens']),
    totalTokens: input + output,
    cost: {},
  };
}

function count(value: unknown): number {
  return Math.max(0, asCount(value) ?? 0);
}
