import { asCount, isObject, type JsonObject } from '#base/json.js';

/** The counters of one request in the payload of a line; null if it records none. */
export function countersIn({ type, usage, info }: JsonObject): JsonObject | null {
  const counters = type === 'token_count' ? isObject(info) && info['last_token_usage'] : usage;
  if (!isObject(counters)) return null;
  return count(counters['input_tokens']) + count(counters['output_tokens']) > 0 ? counters : null;
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
