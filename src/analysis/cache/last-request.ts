import { asString, isObject, type JsonObject } from '#base/json.js';
import { settingsOf } from '#context/replay/settings.js';
import { type Target, targetOf } from '#context/request/wire-messages.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { promptUsage } from './recorded.js';

/** Dollars for a token that is not read from the cache, and for one that is. */
export interface Rates {
  readonly paid: number;
  readonly read: number;
}

/** The newest request of a path: what a provider may still have in its cache. */
export interface LastRequest {
  readonly target: Target;
  /** When the cache was used last, in milliseconds since 1970; NaN where nothing says it. */
  readonly time: number;
  /** The next request goes to another model, which has nothing of it. */
  readonly isOtherModelNow: boolean;
  /** The newest ones of that model; null where the session does not record both, or records that it costs nothing. */
  readonly rates: Rates | null;
}

/** null for a path on which nothing was asked that may have been billed. */
export function lastRequest(session: Session, path: readonly Head[]): LastRequest | null {
  let warmed = -Infinity;
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (!head || (head.role !== 'assistant' && head.type !== 'usage')) continue;
    const entry = session.entry(head);
    if (head.type === 'usage') {
      if (entry['kind'] === 'cache_warm') warmed = Math.max(warmed, head.time || -Infinity);
      continue;
    }
    const message = messageIn(entry);
    if (isUnbilled(message)) continue;
    const target = targetOf(message);
    const { timestamp } = message;
    const time = typeof timestamp === 'number' ? timestamp : head.time;
    const { model } = settingsOf(session, path);
    return {
      target,
      time: Math.max(time, warmed),
      isOtherModelNow:
        model?.provider !== (target.provider ?? undefined) || model?.modelId !== (target.model ?? undefined),
      rates: ratesOf(session, path.slice(0, at + 1), target),
    };
  }
  return null;
}

function messageIn(entry: JsonObject): JsonObject {
  return isObject(entry['message']) ? entry['message'] : {};
}

/** It failed before a provider took anything. */
function isUnbilled({ stopReason, usage }: JsonObject): boolean {
  const isFailed = stopReason === 'error' || stopReason === 'aborted';
  return isFailed && promptUsage(isObject(usage) ? usage : null) === null;
}

/** Who records prices does so with every answer. */
const MOST_ANSWERS = 50;

function ratesOf(session: Session, path: readonly Head[], { provider, model }: Target): Rates | null {
  let [paid, read]: (number | null)[] = [null, null];
  let answers = 0;
  for (let at = path.length - 1; at >= 0 && answers < MOST_ANSWERS; at -= 1) {
    const head = path[at];
    if (head?.role !== 'assistant') continue;
    answers += 1;
    const message = messageIn(session.entry(head));
    if (asString(message['provider']) !== provider || asString(message['model']) !== model) continue;
    const usage = promptUsage(isObject(message['usage']) ? message['usage'] : null);
    paid ??= usage?.paidRate ?? null;
    read ??= usage?.readRate ?? null;
    if (paid !== null && read !== null) return paid > 0 ? { paid, read } : null;
  }
  return null;
}
