import { isObject, type JsonObject } from '#base/json.js';
import { payloadOf, withPayload } from './items.js';

/**
 * The counts of tokens in a copy. Codex compacts by the last count of a rollout. One after the first change would be that of
 * another context, so an estimate replaces it, as Codex itself writes one after a compaction.
 */
export class CopyCounts {
  /** The newest count, and the tokens of the thread up to the first change. */
  private newest: JsonObject | null = null;
  private total: JsonObject | null = null;

  /** `contextTokens`: the estimated tokens of the context at the end of the copy. */
  constructor(
    private readonly firstChange: number,
    private readonly contextTokens: number,
  ) {}

  /** Returns a record as the copy has it: as it is, unless it is a count after the first change; null if the copy lacks it. */
  take(value: JsonObject, offset: number): JsonObject | null {
    const payload = payloadOf(value);
    const { info } = payload;
    const isAfter = offset >= this.firstChange;
    if (value['type'] === 'token_usage_record' || payload['type'] === 'turn.completed') return isAfter ? null : value;
    if (payload['type'] !== 'token_count' || !isObject(info)) return value;
    this.newest = value;
    if (isAfter) return this.estimate(value);
    if (isObject(info['total_token_usage'])) this.total = info['total_token_usage'];
    return value;
  }

  /** The estimate that follows a new compaction; null where the rollout counts nothing. */
  afterCompaction(timestamp: string): JsonObject | null {
    return this.newest && this.estimate({ ...this.newest, timestamp });
  }

  private estimate(value: JsonObject): JsonObject {
    const info = payloadOf(value)['info'] as JsonObject;
    const { total_token_usage: total, last_token_usage: last } = info;
    return withPayload(value, {
      info: {
        ...info,
        ...(isObject(total) && { total_token_usage: this.total ?? toZeros(total) }),
        last_token_usage: { ...toZeros(isObject(last) ? last : {}), total_tokens: this.contextTokens },
      },
    });
  }
}

function toZeros(counters: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(counters).map((name) => [name, 0]));
}
