import { type HookReason, isFatal, keepsFromSending } from './define.js';
import type { HookSummary } from './document.js';
import type { EventRun } from './extension/emit.js';
import type { HookRequest } from './hook-request.js';

type Handlers = NonNullable<HookSummary['handlers']>;

/** Counts the calls of handlers of stock Pi, by module and event. */
class HandlerTally {
  private readonly counts = new Map<string, Handlers[number]>();

  take({ hook, event, outcome }: EventRun): void {
    const key = JSON.stringify([hook, event]);
    const count = this.counts.get(key) ?? { hook, event, calls: 0, changed: 0, failed: 0, nothing: 0 };
    this.counts.set(key, count);
    count.calls += 1;
    if (outcome === 'changed' || outcome === 'cancelled') count.changed += 1;
    if (outcome === 'failed') count.failed += 1;
    if (outcome === 'nothing') count.nothing += 1;
  }

  list(): Handlers {
    return [...this.counts.values()];
  }
}

export type FileGrowth = HookSummary['growth'];

/** The figures of many requests. */
export interface HookTotals extends Pick<
  HookSummary,
  | 'requests'
  | 'failed'
  | 'failedAfter'
  | 'refused'
  | 'transforms'
  | 'persistedBytes'
  | 'loggedBytes'
  | 'growth'
  | 'idempotent'
  | 'messages'
  | 'newTokens'
  | 'handlers'
> {
  /** Failures and violations, of messages too, and what a provider would reject. */
  readonly troubles: number;
  /** Bytes of the first request that persists something, and of the one that persists most. */
  readonly range: readonly [first: number, most: number];
  /** Ops on what is cached that a request alone has had: nothing in the file will tell. */
  readonly unlogged: number;
}

/** Adds up requests as they come; only numbers are kept. */
export class HookTally {
  private requests = 0;
  private failed = 0;
  private failedAfter = 0;
  private refused = 0;
  private transforms = 0;
  private logged = 0;
  private troubles = 0;
  private unlogged = 0;
  private readonly sizes: number[] = [];
  private readonly idempotent = new Map<HookReason, boolean>();
  private readonly messages = { seen: 0, replaced: 0, dropped: 0 };
  private readonly newTokens = { withHooks: 0, withoutHooks: 0 };
  private readonly handlers = new HandlerTally();

  take({ boundaries, messages, refusals, cache, events }: HookRequest): void {
    this.requests += 1;
    for (const event of events) this.handlers.take(event);
    this.troubles += events.filter(({ failure }) => failure !== null).length;
    if (boundaries.some(keepsFromSending)) this.failed += 1;
    else if (boundaries.some(isFatal)) this.failedAfter += 1;
    if (refusals.length > 0) this.refused += 1;
    this.troubles += refusals.length;
    let bytes = 0;
    for (const boundary of boundaries) {
      const { reason, transforms } = boundary;
      this.troubles += boundary.failures.length + boundary.violations.length;
      this.note(reason, boundary.idempotent);
      if (isFatal(boundary)) continue;
      if (reason === 'ephemeral') {
        this.logged += boundary.bytes;
        if (transforms.some(({ patch }) => patch.some(({ scope }) => scope === 'cached'))) this.unlogged += 1;
      } else {
        bytes += boundary.bytes;
        this.transforms += transforms.length;
      }
    }
    if (bytes > 0) this.sizes.push(bytes);
    for (const { kind, failures, violations, idempotent } of messages) {
      this.messages.seen += 1;
      if (kind !== 'none') this.messages[kind] += 1;
      this.troubles += failures.length + violations.length;
      this.note('message', idempotent);
    }
    this.newTokens.withHooks += cache?.newTokens ?? 0;
    this.newTokens.withoutHooks += cache?.withoutHooks.newTokens ?? 0;
  }

  totals(): HookTotals {
    const { requests, failed, failedAfter, refused, transforms, troubles, unlogged, sizes, messages, newTokens } = this;
    const known = (reason: HookReason): boolean | null => this.idempotent.get(reason) ?? null;
    return {
      requests,
      failed,
      failedAfter,
      refused,
      transforms,
      troubles,
      unlogged,
      messages,
      newTokens,
      handlers: this.handlers.list(),
      persistedBytes: sizes.reduce((sum, size) => sum + size, 0),
      loggedBytes: this.logged,
      growth: growthOf(sizes),
      idempotent: { before_request: known('before_request'), turn_end: known('turn_end'), message: known('message') },
      range: [sizes[0] ?? 0, largestOf(sizes)],
    };
  }

  private note(reason: HookReason, idempotent: boolean | null): void {
    if (idempotent !== null) this.idempotent.set(reason, idempotent && (this.idempotent.get(reason) ?? true));
  }
}

/** The minimum number of requests to distinguish a line from a curve. */
const ENOUGH = 3;
/** So often it must be more than at the request before: a compaction may make it less now and then. */
const MOSTLY = 2 / 3;
const RISE = 1.2;

/** The growth of written bytes with the number of writing requests. */
export function growthOf(sizes: readonly number[]): FileGrowth {
  const [first] = sizes;
  if (first === undefined) return 'none';
  if (sizes.length === 1) return 'once';
  const rises = sizes.filter((size, at) => at > 0 && size > (sizes[at - 1] ?? 0)).length;
  const isRising = rises >= (sizes.length - 1) * MOSTLY && largestOf(sizes) >= first * RISE;
  return sizes.length >= ENOUGH && isRising ? 'quadratic' : 'linear';
}

function largestOf(sizes: readonly number[]): number {
  return sizes.reduce((most, size) => Math.max(most, size), 0);
}
