import { type JsonObject, listObjects } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import { readTokensBefore } from '#session/scan/tokens-before.js';
import type { PatchOp } from './replay/patch-op.js';
import { Replay, type ReplayOptions } from './replay/replay.js';
import { findFirstNeeded, onlyAddsMessage } from './replay/selection.js';
import type { ReplayableSession } from './replayable.js';

export interface WalkOptions extends ReplayOptions {
  /**
   * The first place of the path whose context is needed (0): earlier entries that cannot affect it are skipped,
   * and the summary of a replaced compaction is not read.
   */
  readonly since?: number;
}

/** An entry of a path during a walk. Each step is a new object, and so may be kept. */
export interface WalkStep {
  readonly head: Head;
  /** Its index on the path. */
  readonly index: number;
  /** Parsed when it is first read, and at most once. */
  readonly entry: JsonObject;
  /** The context before the entry, until `take` is called. */
  readonly replay: Replay;
  /**
   * Returns the context after the entry. If it is not called, the walk applies the entry itself. Throws a CtxError
   * (input) if a transform cannot be replayed, unless lenient.
   */
  take(): Replay;
}

/** A path that is walked once, from its root. It may grow during the walk. */
export interface ContextWalk {
  readonly session: ReplayableSession;
  readonly path: readonly Head[];
  /** The context at the current place of the walk: at first the one before the root. */
  readonly replay: Replay;
  /**
   * The entries, each before the replay applies it: `replay` then contains the context of the request for that entry.
   * Returns the replay of the whole path at the end.
   */
  readonly steps: Generator<WalkStep, Replay>;
}

/** Walks a path. Nothing is read before the first step is requested. */
export function walk(
  session: ReplayableSession,
  path: readonly Head[],
  { since = 0, ...options }: WalkOptions = {},
): ContextWalk {
  const replay = new Replay(session, path, options);
  return { session, path, replay, steps: stepsOf(session, path, replay, { since, ...options }) };
}

function* stepsOf(
  session: ReplayableSession,
  path: readonly Head[],
  replay: Replay,
  { since = 0, messages }: WalkOptions,
  replaced: ReplacedMessages | null = null,
): Generator<WalkStep, Replay> {
  const start = since > 0 ? findFirstNeeded(session, path, since) : 0;
  // A path may be long and most of it not needed, so no objects are created for skipped entries.
  for (let index = 0; index < path.length; index += 1) {
    const head = path[index];
    if (!head || ((index < start || messages === 'none') && onlyAddsMessage(head))) continue;
    // The first recorded request is compared with the estimate of its whole context.
    if (replaced && replay.firstRecorded && replaced.includes(head, index)) continue;
    const isReplaced = index < start && head.type === 'compaction';
    const parsed = isReplaced ? readTokensBefore(session, head) : (replaced?.parsedAt(index) ?? null);
    const step = new Step(session, replay, head, index, parsed);
    yield step;
    step.take();
  }
  return replay;
}

/** A path that is replayed while it grows. A fork goes on from the same place with other entries. */
export class GrowingPath {
  readonly replay: Replay;
  private readonly path: Head[];

  constructor(
    private readonly session: ReplayableSession,
    private readonly options: ReplayOptions,
    before: GrowingPath | null = null,
  ) {
    this.path = before?.path.slice() ?? [];
    this.replay = new Replay(session, this.path, options, before?.replay);
  }

  get length(): number {
    return this.path.length;
  }

  fork(): GrowingPath {
    return new GrowingPath(this.session, this.options, this);
  }

  /** Appends an entry, and applies it. Throws like `WalkStep.take`. */
  take(head: Head): void {
    this.path.push(head);
    this.replay.step(head, this.path.length - 1);
  }
}

/** An entry of a file, with its step if it is on the path. */
export interface FileStep {
  readonly head: Head;
  readonly step: WalkStep | null;
  /** Whether the entry was yielded before, without its step. */
  readonly isRepeated: boolean;
}

/**
 * The entries of a file in order, each with its step of a walk; `isNeeded` selects those that are not on the path. If
 * the path is in another order, which is rare, its steps come after all entries.
 */
export function* walkFile(
  { session, path, steps }: ContextWalk,
  isNeeded: (index: number) => boolean = () => true,
): Generator<FileStep> {
  const isInOrder = path.every((head, at) => at === 0 || (path[at - 1]?.index ?? 0) < head.index);
  const { heads } = session.tree;
  let next = 0;
  for (let index = 0; index < heads.length; index += 1) {
    const isOnPath = isInOrder && path[next]?.index === index;
    const head = isOnPath || isNeeded(index) ? heads.at(index) : undefined;
    if (!head) continue;
    const step = isOnPath ? steps.next() : null;
    if (isOnPath) next += 1;
    yield { head, step: step === null || step.done ? null : step.value, isRepeated: false };
  }
  for (const step of steps) yield { head: step.head, step, isRepeated: true };
}

/** Replays a path as far as it affects the context at its end. Throws like `WalkStep.take`. */
export function replayPath(session: ReplayableSession, path: readonly Head[], options: ReplayOptions = {}): Replay {
  return drain(replayInSteps(session, path, options));
}

/** Like `replayPath`, but yields the share of its work that is done, from 0 to 1. */
export function* replayInSteps(
  session: ReplayableSession,
  path: readonly Head[],
  options: ReplayOptions,
): Generator<number, Replay> {
  const replaced = new ReplacedMessages(session, path);
  const replay = new Replay(session, path, options);
  const steps = stepsOf(session, path, replay, { ...options, since: path.length - 1 }, replaced);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield value.index / path.length;
  }
}

/** Runs a generator to its end, and returns its result. */
export function drain<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

class Step implements WalkStep {
  private isTaken = false;

  constructor(
    private readonly session: ReplayableSession,
    readonly replay: Replay,
    readonly head: Head,
    readonly index: number,
    private parsed: JsonObject | null,
  ) {}

  get entry(): JsonObject {
    return (this.parsed ??= this.session.entry(this.head));
  }

  take(): Replay {
    if (!this.isTaken) this.replay.step(this.head, this.index, this.parsed);
    this.isTaken = true;
    return this.replay;
  }
}

/** A transform that replaces all messages, parsed. */
interface Replacement {
  readonly index: number;
  readonly entry: JsonObject;
  /** The times of its messages; null if it may use the replaced ones in another way. */
  readonly times: ReadonlySet<unknown> | null;
}

/**
 * The messages of a path that the next transform replaces, and of which it keeps none: they need not be parsed. A
 * transform keeps a message only by an equal one, with its time, so this needs a session whose heads have these times.
 */
class ReplacedMessages {
  /** The places of the transforms, the next one last; none if an edit or a compaction may use earlier messages. */
  private readonly transforms: number[] = [];
  private next: Replacement | null = null;

  constructor(
    private readonly session: ReplayableSession,
    private readonly path: readonly Head[],
  ) {
    if (!session.hasMessageTimes) return;
    for (let index = path.length - 1; index >= 0; index -= 1) {
      const type = path[index]?.type;
      if (type === 'context_transform') this.transforms.push(index);
      if (type !== 'context_edit' && type !== 'compaction') continue;
      this.transforms.length = 0;
      return;
    }
  }

  /** Call it for the places of the path in order. */
  includes(head: Head, index: number): boolean {
    if (head.type !== 'message' || !PLAIN_ROLES.has(head.role) || Number.isNaN(head.time)) return false;
    const times = this.nextAfter(index)?.times;
    return times ? !times.has(head.time) : false;
  }

  /** The entry of a transform that was parsed for this. */
  parsedAt(index: number): JsonObject | null {
    return this.next?.index === index ? this.next.entry : null;
  }

  /** The next transform that changes messages. */
  private nextAfter(index: number): Replacement | null {
    while (this.next === null || this.next.index <= index) {
      const place = this.transforms.pop();
      const head = place === undefined ? undefined : this.path[place];
      if (place === undefined || !head) return null;
      const entry = this.session.entry(head);
      const steps = this.session.readPatch(entry).filter((step) => !step.ok || step.region === 'messages');
      if (steps.length > 0) this.next = { index: place, entry, times: timesIn(steps) };
    }
    return this.next;
  }
}

/** Roles whose messages are sent as they are. */
const PLAIN_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

function timesIn([step, ...others]: readonly PatchOp[]): ReadonlySet<unknown> | null {
  if (!step?.ok || !step.replacesRegion || others.length > 0) return null;
  return new Set(listObjects(step.json['messages']).map(({ timestamp }) => timestamp));
}
