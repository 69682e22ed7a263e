import { asObject, isObject, type JsonObject } from '#base/json.js';
import { FirstCounts } from './counts.js';
import { countOf, type RequestCount } from './record-content.js';
import { payloadOf } from './record-payload.js';

/**
 * The counts of tokens in a copy. Codex compacts by the last count of a rollout, and counts after the first change
 * belong to another context. So an estimate replaces them, as Codex itself writes one after a compaction. It is placed
 * where a count ends an answer. Repeated counts end no answer, and are left out.
 */
export class CopyCounts {
  /** The newest tokens for the screen, and the tokens of the thread up to the first change. */
  private newest: JsonObject | null = null;
  private total: JsonObject | null = null;
  private readonly counts = new FirstCounts();
  private hasExact = false;

  /** `contextTokens`: the estimated tokens of the context at the end of the copy. */
  constructor(
    private readonly firstChange: number,
    private readonly contextTokens: number,
  ) {}

  /** Returns a record as the copy has it; null if the copy lacks it. Only a count after the first change differs. */
  take(value: JsonObject, offset: number): JsonObject | null {
    const count = countOf(value);
    if (count === null) return value;
    const isRepeated = count.kind === 'count' && this.isRepeated(count);
    const { info, usage } = payloadOf(value);
    if (isObject(info)) this.newest = info;
    const isAfter = offset >= this.firstChange;
    if (isAfter) return isRepeated ? null : this.estimate(value, { last_token_usage: asObject(usage), ...this.newest });
    if (isObject(info) && isObject(info['total_token_usage'])) this.total = info['total_token_usage'];
    return value;
  }

  /** The estimate that follows a new compaction; null where the rollout counts nothing. */
  afterCompaction(timestamp: string): JsonObject | null {
    return this.newest && this.estimate({ timestamp }, this.newest);
  }

  /** A count of a response is repeated by all later ones that are none. */
  private isRepeated(count: RequestCount): boolean {
    if (!count.isExact && this.hasExact) return true;
    this.hasExact ||= count.isExact;
    return !this.counts.isFirst(count);
  }

  /** An estimate at the time of a record. `info`: the tokens for the screen. */
  private estimate({ timestamp, ordinal }: JsonObject, info: JsonObject): JsonObject {
    const { last_token_usage: last, total_token_usage: total = last } = info;
    return {
      timestamp,
      ...(ordinal === undefined ? {} : { ordinal }),
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: {
          ...info,
          total_token_usage: this.total ?? toZeros(total),
          last_token_usage: { ...toZeros(last), total_tokens: this.contextTokens },
        },
      },
    };
  }
}

function toZeros(counters: unknown): JsonObject {
  return Object.fromEntries(Object.keys(asObject(counters)).map((name) => [name, 0]));
}
