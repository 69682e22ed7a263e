import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { readTokensBefore } from '#session/scan/tokens-before.js';
import { onlyAddsMessage } from './replay/entry-kinds.js';
import { findFirstNeeded } from './replay/first-needed.js';
import { ReplacedMessages } from './replay/replaced-messages.js';
import { Replay, type ReplayOptions } from './replay/replay.js';
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
  readonly entry: Entry;
  /** The context before the entry, until `take` is called. */
  readonly replay: Replay;
  /**
   * Returns the context after the entry. If it is not called, the walk applies the entry itself. Throws a CtxError
   * (input) if a transform cannot be replayed, unless the session is lenient.
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
    private parsed: Entry | null,
  ) {}

  get entry(): Entry {
    return (this.parsed ??= this.session.entry(this.head));
  }

  take(): Replay {
    if (!this.isTaken) this.replay.step(this.head, this.index, this.parsed);
    this.isTaken = true;
    return this.replay;
  }
}
