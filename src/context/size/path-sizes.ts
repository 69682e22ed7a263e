import type { Problem } from '#base/errors.js';
import { memoizeLast, once } from '#base/memoize.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { PathSource } from '../open.js';
import { readEntryMessage } from '../replay/convert.js';
import { MESSAGE_TYPES } from '../replay/entry-kinds.js';
import type { Replay } from '../replay/replay.js';
import { findSettings } from '../replay/settings.js';
import { findUnknownProblem } from '../replay/unknown-entry.js';
import type { ReplayableSession } from '../replayable.js';
import { drain, walk, type WalkStep } from '../walk.js';
import {
  type ChangedParts,
  type ContextTokens,
  countAppendedTokens,
  type CountedSize,
  estimateSize,
  findFirstRecorded,
  isPreambleKnown,
  measureAppendedSize,
  measureChangedSize,
  measurePreamblePrice,
  toContextTokens,
} from './context-size.js';
import { Growth, MOST_GROWTH_BYTES } from './growth.js';
import type { RecordedRequest } from './recorded-request.js';
import { findRecordedTail, findSentRequest, walkUp } from './recorded-tail.js';
import { isContextChange, readSizeEffect } from './size-effect.js';
import { BY_CHARACTERS } from './tokens.js';

interface Walked extends Omit<PathSource, 'session'> {
  /** The first entry whose size is needed; 0 by default. */
  readonly from?: number;
}

/** The last recorded answer so far, and the changes after it. */
interface Anchor {
  readonly index: number;
  readonly request: RecordedRequest;
  appended: number;
  isChanged: boolean;
  /** The estimate at the answer, if needed. */
  atAnswer: Pick<ChangedParts, 'first' | 'last'> | null;
}

/**
 * The sizes of the context after entries of a path, each equal to `contextSize`, to be requested from the root on.
 * Each entry is parsed once, and replayed only if the counts of a provider are not sufficient; a lenient walk replays
 * every entry of a path whose context changes, for its diagnostics.
 */
export class PathSizes {
  private readonly lastChange: number;
  private growth = new Growth();
  private anchor: Anchor | null = null;
  private newestOfModel: Head | null = null;
  private readonly modelOf = memoizeLast((head: Head | null) => head && findSettings(this.session, [head]).model);
  private steps: Generator<WalkStep, Replay> | null = null;
  /** The last step that was replayed. */
  private replayed: WalkStep | null = null;
  private readonly stepOf = memoizeLast((head: Head) => readSizeEffect(this.session, head, BY_CHARACTERS));
  private readonly first = once(() =>
    drain(findFirstRecorded(this.session, this.walked.path, { ...this.walked, messages: 'sizes' })),
  );
  private taken: number;
  private since = 0;
  /** The diagnostics of entries that only append; otherwise the path is replayed for them. */
  private notes: Problem[] | null;

  constructor(
    private readonly session: ReplayableSession,
    private readonly walked: Walked,
  ) {
    const { path, from = 0 } = walked;
    this.taken = from;
    this.lastChange = path.findLastIndex(isContextChange);
    this.notes = this.lastChange === -1 && from === 0 ? [] : null;
    if (from > 0) this.startAt(from);
  }

  /** Throws a CtxError (input) if a transform cannot be replayed, unless the session is lenient. */
  after(index: number): CountedSize {
    const anchor = this.anchorAt(index);
    if (anchor === null || anchor.isChanged) return this.replayedSize(index, anchor);
    return measureAppendedSize(this.tailOf(anchor), anchor.appended, BY_CHARACTERS);
  }

  tokensAfter(index: number): ContextTokens {
    const anchor = this.anchorAt(index);
    if (anchor === null || anchor.isChanged) return toContextTokens(this.replayedSize(index, anchor));
    return countAppendedTokens(this.tailOf(anchor), anchor.appended, BY_CHARACTERS);
  }

  /** The diagnostics so far. */
  problems(): readonly Problem[] {
    return this.notes ?? this.replayed?.replay.diagnostics ?? [];
  }

  /** Reads the last recorded answer before `from`, so that few earlier entries are read. */
  private startAt(from: number): void {
    const { path } = this.walked;
    const above = path.slice(0, from);
    this.newestOfModel = above.findLast(tellsModel) ?? null;
    const tail = findRecordedTail(this.session, walkUp(above), BY_CHARACTERS);
    const index = tail ? above.findLastIndex((head) => head.index === tail.head.index) : -1;
    this.since = tail ? index : from;
    if (!tail) return;
    if (this.lastChange < index) this.notes = [];
    this.growth = tail.growth();
    this.takeAnswer(index, tail.request);
    this.taken = index + 1;
  }

  /** The last recorded answer, or the request itself if its answer follows. */
  private anchorAt(index: number): Anchor | null {
    for (; this.taken <= index; this.taken += 1) this.take(this.taken);
    const head = this.walked.path[index];
    const request = head && this.anchor?.index !== index ? findSentRequest(this.session, head, this.requestOf) : null;
    return request ? anchorOf(index, request) : this.anchor;
  }

  private readonly requestOf = (head: Head): RecordedRequest | null => {
    const next = this.walked.path[this.taken];
    // The same object, so that it is parsed once.
    const step = this.stepOf(next?.index === head.index ? next : head);
    return step?.kind === 'message' ? step.request : null;
  };

  private tailOf({ request }: Anchor): Parameters<typeof measureAppendedSize>[0] {
    return { request, growth: () => this.growth };
  }

  private replayedSize(index: number, anchor: Anchor | null): CountedSize {
    // The replay only moves forward, so the estimate at the answer comes first.
    const atAnswer = anchor && this.atAnswer(anchor);
    const replay = this.replayTo(index);
    const now = replay.parts();
    const first = anchor && this.first();
    if (!atAnswer || !first) return estimateSize({ ...now, model: this.modelOf(this.newestOfModel) }, BY_CHARACTERS);
    const preamble = measurePreamblePrice(first, isPreambleKnown(replay), BY_CHARACTERS);
    return measureChangedSize(this.tailOf(anchor), { preamble, ...atAnswer, now }, BY_CHARACTERS);
  }

  private take(index: number): void {
    const head = this.walked.path[index];
    if (!head) return;
    if (tellsModel(head)) this.newestOfModel = head;
    if (this.session.isLenient) this.note(head, index);
    const step = this.stepOf(head);
    if (step === null) return;
    this.growth.take(step);
    if (step.kind === 'message' && step.request) this.takeAnswer(index, step.request);
    else if (this.anchor && step.kind === 'message') this.anchor.appended += step.tokens;
    else if (this.anchor) this.anchor.isChanged = true;
  }

  private note(head: Head, index: number): void {
    if (this.notes === null) return void this.replayTo(index);
    if (index < (this.walked.from ?? 0)) return;
    const problem = findUnknownProblem(
      head,
      MESSAGE_TYPES.has(head.type) ? readEntryMessage(this.session.entry(head)) : null,
    );
    if (problem) this.notes.push(problem);
  }

  private takeAnswer(index: number, request: RecordedRequest): void {
    this.anchor = anchorOf(index, request);
    // A replay in parallel would already be past the place when the estimate is needed.
    if (this.session.isLenient && index < this.lastChange) this.atAnswer(this.anchor);
  }

  private atAnswer(anchor: Anchor): NonNullable<Anchor['atAnswer']> {
    if (anchor.atAnswer) return anchor.atAnswer;
    const replay = this.replayTo(anchor.index);
    anchor.atAnswer = { first: replay.firstRecorded, last: replay.parts() };
    return anchor.atAnswer;
  }

  private replayTo(index: number): Replay {
    const { path, ...options } = this.walked;
    this.steps ??= walk(this.session, path, { ...options, messages: 'sizes', since: this.since }).steps;
    while (this.replayed === null || this.replayed.index < index) {
      const { done, value } = this.steps.next();
      if (done) return value;
      this.replayed = value;
      value.take();
    }
    return this.replayed.replay;
  }
}

function anchorOf(index: number, request: RecordedRequest): Anchor {
  return { index, request, appended: 0, isChanged: false, atAnswer: null };
}

function tellsModel(head: Head): boolean {
  return head.type === 'model_change' || answersRequest(head);
}

/**
 * Whether the end of a path from some entry on is sufficient for the sizes from `since` on: a recorded answer precedes it,
 * with all requests for the growth, and only messages were appended after it.
 */
export function isSizeKnown(session: Session, path: readonly Head[], since: number): boolean {
  const tail = findRecordedTail(session, walkUp(path.slice(0, since)), BY_CHARACTERS);
  const at = tail ? path.findLastIndex(({ index }) => index === tail.head.index) : -1;
  if (at < path.findLastIndex(isContextChange) || tail === null) return false;
  const above = path.slice(0, at).reduce((sum, { type, length }) => sum + (MESSAGE_TYPES.has(type) ? length : 0), 0);
  return above > MOST_GROWTH_BYTES;
}
