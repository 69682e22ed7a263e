import { sumBy } from '#base/lists.js';
import type { HandlerCount, HookSummary } from './document.js';
import type { HookReason } from './events.js';
import type { BoundaryRun, EventRun, HookRequest } from './hook-request.js';
import { listOpNotes } from './op-notes.js';
import { isFatal, preventsRequest } from './run-boundary.js';

export type FileGrowth = HookSummary['growth'];

/** The figures of many requests. */
export interface HookTotals extends Omit<
  HookSummary,
  'schema' | 'schemaVersion' | 'file' | 'hooks' | 'notRun' | 'sessionBytes' | 'notes'
> {
  /** Failures and violations, of messages too, and what a provider would reject. */
  readonly troubles: number;
  /** Bytes of the first request that persists something, and of the one that persists most. */
  readonly range: readonly [first: number, most: number];
  /** Ops on what is cached that a request alone has had: nothing in the file will tell. */
  readonly unlogged: number;
  /** The requests that are larger than the context window only with the hooks; null without any. */
  readonly oversized: { readonly requests: number; readonly first: Oversize } | null;
  /** Parts of patches that had no effect, each once. */
  readonly opNotes: readonly string[];
}

interface Oversize {
  /** The number of the request. */
  readonly number: number;
  readonly limit: number;
  /** Estimated, with and without hooks. */
  readonly tokens: number;
  readonly without: number;
}

const NOTHING = { requests: 0, failed: 0, failedAfter: 0, refused: 0, transforms: 0, troubles: 0, unlogged: 0 };

/** A hook can name another tool at every request. */
const MOST_NOTES = 20;

/** Adds up requests as they come; only numbers are kept. */
export class HookTally {
  private readonly sums = { ...NOTHING, loggedBytes: 0 };
  private readonly sizes: number[] = [];
  private readonly idempotent = new Map<HookReason, boolean>();
  private readonly opNotes = new Set<string>();
  private readonly messages = { seen: 0, replaced: 0, dropped: 0 };
  private readonly newTokens = { withHooks: 0, withoutHooks: 0 };
  /** The counts by module and event. */
  private readonly handlers = new Map<string, HandlerCount>();
  private oversized: HookTotals['oversized'] = null;

  take(request: HookRequest): void {
    const { boundaries, messages, refusals, cache, events } = request;
    const { sums } = this;
    sums.requests += 1;
    for (const event of events) this.takeEvent(event);
    if (boundaries.some(preventsRequest)) sums.failed += 1;
    else if (boundaries.some(isFatal)) sums.failedAfter += 1;
    if (refusals.length > 0) sums.refused += 1;
    sums.troubles += refusals.length;
    const bytes = sumBy(boundaries, (boundary) => this.takeBoundary(boundary));
    if (bytes > 0) this.sizes.push(bytes);
    for (const { kind, failures, violations, idempotent } of messages) {
      this.messages.seen += 1;
      if (kind !== 'none') this.messages[kind] += 1;
      sums.troubles += failures.length + violations.length;
      this.note('message', idempotent);
    }
    this.takeSize(request);
    this.newTokens.withHooks += cache?.newTokens ?? 0;
    this.newTokens.withoutHooks += cache?.withoutHooks.newTokens ?? 0;
  }

  totals(): HookTotals {
    const { sums, sizes, messages, newTokens, handlers } = this;
    const isIdempotent = (reason: HookReason): boolean | null => this.idempotent.get(reason) ?? null;
    return {
      ...sums,
      messages,
      newTokens,
      oversized: this.oversized,
      handlers: [...handlers.values()],
      opNotes: [...this.opNotes],
      persistedBytes: sumBy(sizes, (size) => size),
      growth: measureGrowth(sizes),
      idempotent: {
        before_request: isIdempotent('before_request'),
        turn_end: isIdempotent('turn_end'),
        message: isIdempotent('message'),
      },
      range: [sizes[0] ?? 0, findLargest(sizes)],
    };
  }

  private takeSize({ number, limit, cache }: HookRequest): void {
    const tokens = cache?.promptTokens ?? 0;
    const without = cache?.withoutHooks.promptTokens ?? 0;
    if (limit === null || tokens <= limit || without > limit) return;
    const { requests, first } = this.oversized ?? { requests: 0, first: { number, limit, tokens, without } };
    this.oversized = { requests: requests + 1, first };
  }

  /** Returns the bytes of its transforms in the file. */
  private takeBoundary(boundary: BoundaryRun): number {
    const { sums } = this;
    const { reason, transforms, failures, violations, idempotent, bytes } = boundary;
    sums.troubles += failures.length + violations.length;
    this.note(reason, idempotent);
    if (isFatal(boundary)) return 0;
    for (const note of listOpNotes(transforms, boundary.before)) {
      if (this.opNotes.size < MOST_NOTES) this.opNotes.add(note);
    }
    if (reason === 'ephemeral') {
      sums.loggedBytes += bytes;
      if (transforms.some(({ patch }) => patch.some(({ scope }) => scope === 'cached'))) sums.unlogged += 1;
      return 0;
    }
    sums.transforms += transforms.length;
    return bytes;
  }

  private takeEvent({ hook, event, outcome, failure }: EventRun): void {
    const key = JSON.stringify([hook, event]);
    const count = this.handlers.get(key) ?? { hook, event, calls: 0, changed: 0, failed: 0, nothing: 0 };
    this.handlers.set(key, count);
    count.calls += 1;
    if (outcome === 'changed' || outcome === 'cancelled') count.changed += 1;
    if (outcome === 'failed') count.failed += 1;
    if (outcome === 'nothing') count.nothing += 1;
    if (failure !== null) this.sums.troubles += 1;
  }

  private note(reason: HookReason, idempotent: boolean | null): void {
    if (idempotent !== null) this.idempotent.set(reason, idempotent && (this.idempotent.get(reason) ?? true));
  }
}

/** The minimum number of requests to distinguish a line from a curve. */
const MIN_REQUESTS = 3;
/** The share of requests at which a size must rise: now and then a compaction lowers it. */
const RISING_SHARE = 2 / 3;
const RISE = 1.2;

/** The growth of written bytes with the number of writing requests. */
export function measureGrowth(sizes: readonly number[]): FileGrowth {
  const [first] = sizes;
  if (first === undefined) return 'none';
  if (sizes.length === 1) return 'once';
  const rises = sizes.filter((size, at) => at > 0 && size > (sizes[at - 1] ?? 0)).length;
  const isRising = rises >= (sizes.length - 1) * RISING_SHARE && findLargest(sizes) >= first * RISE;
  return sizes.length >= MIN_REQUESTS && isRising ? 'quadratic' : 'linear';
}

function findLargest(sizes: readonly number[]): number {
  return sizes.reduce((most, size) => Math.max(most, size), 0);
}
