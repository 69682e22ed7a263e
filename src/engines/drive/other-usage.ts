import { promptUsage } from '#analysis/cache/recorded.js';
import { isObject, type JsonObject } from '#base/json.js';
import { usageNumbers } from '#context/replay/tokens.js';

/**
 * The usage of an answer where the request was so many tokens longer than the one that is recorded, as far as that can be
 * told: what was counted, and an estimate of what is another. null: it is what is recorded.
 */
export function usageIfOther(entry: JsonObject, tokens: number): JsonObject | null {
  const message = isObject(entry['message']) ? entry['message'] : {};
  const usage = isObject(message['usage']) ? message['usage'] : null;
  if (tokens === 0 || usage === null || promptUsage(usage) === null) return null;
  const { input, output, cacheRead, cacheWrite, total } = usageNumbers(usage);
  const prompt = Math.max(0, input + cacheRead + cacheWrite + tokens);
  return { input: prompt, output, cacheRead: 0, cacheWrite: 0, totalTokens: Math.max(prompt + output, total + tokens) };
}
