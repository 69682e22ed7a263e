import type { JsonObject } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { parseTimestamp } from '#base/time.js';
import { readPatch } from '#context/ops/read-patch.js';
import { toSummaryMessage } from '#context/replay/convert.js';
import { areEqualMessages, type BaselineFreeContext, isEqualJson } from '#context/replay/hash.js';
import type { Replay } from '#context/replay/replay.js';
import { GrowingPath } from '#context/walk.js';
import { copyHead, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The ops that lead from one context to another. None changes options: compactions and edits leave them alone. */
export function buildOpsBetween(
  before: BaselineFreeContext,
  after: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  return [...declaringOps(before, after, reason), ...messageOps(before, after, reason)];
}

function messageOps(
  before: BaselineFreeContext,
  { messages }: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  return areEqualMessages(before.messages, messages) ? [] : [op('messages_cached_replace', { messages }, reason)];
}

/**
 * The ops that do to a context what a compaction did. Where the messages that it kept are not the last ones as they were,
 * the whole list is written down.
 */
export function buildCompactionOps(
  before: BaselineFreeContext,
  after: BaselineFreeContext,
  { summary, timestamp, tokensBefore }: JsonObject,
): readonly JsonObject[] {
  const time = parseTimestamp(timestamp);
  const [first, ...kept] = after.messages;
  const start = before.messages.length - kept.length;
  const isPlain =
    typeof summary === 'string' &&
    Number.isFinite(time) &&
    start >= 0 &&
    isEqualJson(first, toSummaryMessage(summary, time)) &&
    areEqualMessages(before.messages.slice(start), kept);
  if (!isPlain) return buildOpsBetween(before, after, REASON);
  const tokens = Number.isFinite(tokensBefore) ? { tokensBefore } : {};
  const fields = { summary, timestamp: time, firstKeptMessageIndex: start, ...tokens };
  return [...declaringOps(before, after, REASON), op('compaction_apply', fields, REASON)];
}

const REASON = 'compaction';

/**
 * Ops that lead to a context from whatever there is, and let go of everything that edits have hidden: no edit can bring
 * it back then. A transform can only set aside what stands above something that it drops, so a message is put last.
 */
export function buildResetOps(
  { messages }: BaselineFreeContext,
  after: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  const last = { role: 'user', content: [], timestamp: 0 };
  const none = { summary: '', timestamp: 0, firstKeptMessageIndex: messages.length + 1 };
  return [
    ...REGIONS.flatMap((region) => replacingOps(region, after, reason)),
    op('messages_cached_replace', { messages: [...messages, last] }, reason),
    op('compaction_apply', none, reason),
    op('messages_cached_replace', { messages: after.messages }, reason),
  ];
}

const REGIONS = ['system', 'tools'] as const;

/** Those that are needed: only the regions that change. */
function declaringOps(before: BaselineFreeContext, after: BaselineFreeContext, reason: string): readonly JsonObject[] {
  const changed = REGIONS.filter((region) => !isEqualJson(before.declared[region], after.declared[region]));
  return changed.flatMap((region) => replacingOps(region, after, reason));
}

/** Ops that say a whole region; with `baseline`, one that is supplied is shown instead of the items. */
function replacingOps(
  region: (typeof REGIONS)[number],
  { declared }: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  const { items, yieldsToBaseline, ops } = declared[region];
  const fields = region === 'system' ? { parts: items } : { tools: items };
  const orBaseline = yieldsToBaseline ? { baseline: true } : {};
  return [
    op(region === 'system' ? 'system_parts_replace' : 'tools_replace', { ...fields, ...orBaseline }, reason),
    ...ops.map((each) => ({ ...each, invalidateCacheReason: reason })),
  ];
}

function op(name: string, fields: JsonObject, invalidateCacheReason: string): JsonObject {
  return { op: name, scope: 'cached', ...fields, invalidateCacheReason };
}

interface NewTransform {
  readonly id: unknown;
  readonly parentId: unknown;
  readonly timestamp: unknown;
  readonly name: string;
  readonly patch: readonly JsonObject[];
  readonly title: string;
  /** Fields that it has beside. */
  readonly rest?: JsonObject;
}

/** A `context_transform` entry, as it will be read again. */
export function buildTransformEntry({
  id,
  parentId,
  timestamp,
  name,
  patch,
  title,
  rest = {},
}: NewTransform): JsonObject {
  const entry = {
    type: 'context_transform',
    id,
    parentId: parentId ?? null,
    timestamp,
    schemaVersion: 1,
    transformerName: name,
    patch,
    display: { title },
    ...rest,
  };
  return JSON.parse(JSON.stringify(entry)) as JsonObject;
}

interface AddedTransform {
  readonly entry: JsonObject;
  /** `above`: between the entry and its parent. `instead`: replaces the entry. */
  readonly place: 'above' | 'instead';
}

/** Replays a path as it is and as it will be in the new file, entry by entry. */
export class LockstepReplay {
  private constructor(
    private readonly old: GrowingPath,
    private next: GrowingPath,
    /** The transforms of the new file, parsed. */
    private readonly transforms: Map<Head, JsonObject>,
    /** The places in the new file of the entries of the path. */
    private readonly places: number[] = [],
  ) {}

  static of(session: Session): LockstepReplay {
    const options = { readPatch, lenient: true, keepsHidden: true };
    const transforms = new Map<Head, JsonObject>();
    const entry = memoizeLast((head: Head) => session.entry(head));
    const seen: Session = { ...session, entry: (head) => transforms.get(head) ?? entry(head) };
    return new LockstepReplay(
      new GrowingPath({ ...session, entry }, options),
      new GrowingPath(seen, options),
      transforms,
    );
  }

  fork(): LockstepReplay {
    return new LockstepReplay(this.old.fork(), this.next.fork(), this.transforms, this.places.slice());
  }

  /** The path of the new file, to return to. */
  convertedSoFar(): GrowingPath {
    return this.next.fork();
  }

  /** Takes in an entry that stays as it is. */
  step(head: Head): void {
    this.stepOriginal(head);
    this.stepConverted(head, null);
  }

  stepOriginal(head: Head): void {
    this.old.take(head);
  }

  /** Takes in the entry that `stepOriginal` took last, with the transform that belongs to it. */
  stepConverted(head: Head, conversion: AddedTransform | null): void {
    if (conversion) {
      const transform: Head = { ...copyHead(head), type: 'context_transform', role: null, index: head.index };
      this.transforms.set(transform, conversion.entry);
      this.next.take(transform);
    }
    this.places.push(this.next.length);
    if (conversion?.place !== 'instead') this.next.take(head);
  }

  /** Like `stepConverted`, from the place before the entry. */
  stepConvertedAgain(before: GrowingPath | null, head: Head, conversion: AddedTransform): void {
    if (before) this.next = before.fork();
    this.places.pop();
    this.stepConverted(head, conversion);
  }

  /** Releases hidden messages before a place of the path, which cannot return. */
  forgetAbove(place: number): void {
    this.old.replay.forgetAbove(place);
    this.next.replay.forgetAbove(this.places[place] ?? Infinity);
  }

  original(): BaselineFreeContext {
    return contextOf(this.old.replay);
  }

  converted(): BaselineFreeContext {
    return contextOf(this.next.replay);
  }
}

function contextOf(replay: Replay): BaselineFreeContext {
  return { messages: replay.content().messages.cached, declared: replay.declaredRegions() };
}
