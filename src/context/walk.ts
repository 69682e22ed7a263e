import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { OpenSession } from './open.js';
import type { Baseline } from './replay/content.js';
import { Replay, type ReplayOptions } from './replay/replay.js';
import { type NeededContext, Shortcuts } from './shortcuts/shortcuts.js';

/** The options of a replay, and what its caller reads of it. */
export type WalkOptions = ReplayOptions & Omit<NeededContext, 'isOnlyEnd'>;

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

/** A path that is walked once, from its root. */
export interface ContextWalk {
  readonly session: OpenSession;
  readonly path: readonly Head[];
  /** The context at the current place of the walk: at first the one before the root. */
  readonly replay: Replay;
  /**
   * The entries, each before the replay applies it: `replay` then contains the context of the request for that entry.
   * Returns the replay of the whole path at the end.
   */
  readonly steps: Generator<WalkStep, Replay>;
}

/** A path of a session, and the inputs of its replay. */
export interface PathSource {
  readonly session: OpenSession;
  /** The path from the root to the entry. */
  readonly path: readonly Head[];
  /** Values that the session does not record. */
  readonly baseline: Baseline;
}

/** Walks a path. Nothing is read before the first step is requested. */
export function walk(session: OpenSession, path: readonly Head[], options: WalkOptions = {}): ContextWalk {
  const replay = new Replay(session, path, options);
  return { session, path, replay, steps: walkSteps(session, path, replay, options) };
}

function* walkSteps(
  session: OpenSession,
  path: readonly Head[],
  replay: Replay,
  needed: NeededContext,
): Generator<WalkStep, Replay> {
  const shortcuts = new Shortcuts(session, path, needed);
  // A path may be long and most of it not needed, so no objects are created for skipped entries.
  for (let index = 0; index < path.length; index += 1) {
    const head = path[index];
    if (!head || shortcuts.skips(head, index, replay)) continue;
    const step = new Step(session, replay, shortcuts, head, index);
    yield step;
    step.take();
  }
  return replay;
}

/** Replays a path as far as it affects the context at its end. Throws like `WalkStep.take`. */
export function replayPath(session: OpenSession, path: readonly Head[], options: WalkOptions = {}): Replay {
  return drain(replayInSteps(session, path, options));
}

/** Replays a path like `replayPath`, but yields the share of its work that is done, from 0 to 1. */
export function* replayInSteps(
  session: OpenSession,
  path: readonly Head[],
  options: WalkOptions,
): Generator<number, Replay> {
  const replay = new Replay(session, path, options);
  const steps = walkSteps(session, path, replay, { ...options, since: path.length - 1, isOnlyEnd: true });
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
  private parsed: Entry | null;

  constructor(
    private readonly session: OpenSession,
    readonly replay: Replay,
    private readonly shortcuts: Shortcuts,
    readonly head: Head,
    readonly index: number,
  ) {
    this.parsed = shortcuts.findParsed(head, index);
  }

  get entry(): Entry {
    return (this.parsed ??= this.session.entry(this.head));
  }

  take(): Replay {
    if (this.isTaken) return this.replay;
    this.isTaken = true;
    this.replay.step(this.head, this.index, this.parsed);
    this.shortcuts.release(this.replay, this.head, this.index);
    return this.replay;
  }
}
