import type { Problem } from '#base/errors.js';
import { memoizeLast, once } from '#base/memoize.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { OpenSession } from '../open.js';
import { readEntryMessage } from '../replay/convert.js';
import { MESSAGE_TYPES } from '../replay/entry-kinds.js';
import type { Replay } from '../replay/replay.js';
import { findUnknownProblem } from '../replay/unknown-entry.js';
import { type ContextWalk, drain, type PathSource, walk, type WalkOptions } from '../walk.js';
import { findFirstRecorded } from './context-size.js';
import {
  type ContextTokens,
  countAppendedTokens,
  type CountedSize,
  estimateSize,
  measureAppendedSize,
  measureChangedSize,
  toContextTokens,
} from './counted-size.js';
import { MOST_GROWTH_BYTES } from './growth.js';
import { type CountedRequest, PathCount } from './path-count.js';
import { measurePreamblePrice } from './preamble-price.js';
import { findRecordedTail, type LastRecorded, walkUp } from './recorded-tail.js';
import { isContextChange } from './size-effect.js';
import { BY_CHARACTERS } from './tokens.js';

/**
 * The sizes of the context after the entries of a path, each equal to `measureContextSize` of that entry. Ask for them in
 * the order of the path.
 *
 * Two readers go along the path. The count knows the last request that a provider counted, and the messages after it:
 * mostly, their sum is the size. The replay follows where that is not sufficient: where nothing was counted yet, or where
 * another change of the context came after the count. It only moves forward.
 */
export class PathSizes {
  private readonly count: PathCount;
  private readonly replay: ForwardReplay;
  /** The place of the last entry that changes the context in another way than by a message; -1 if there is none. */
  private readonly lastChange: number;
  /** The diagnostics of a path to which messages are only appended; null if the replay tells them. */
  private readonly noted: Problem[] | null;
  /** The estimates of the context after an answer. */
  private readonly estimateAt = memoizeLast((place: number) => {
    const replay = this.replay.to(place);
    return { first: replay.firstRecorded, last: replay.countParts() };
  });
  private readonly firstRecorded = once(() => drain(findFirstRecorded(this.session, this.path, this.options)));
  private readonly path: readonly Head[];
  private readonly options: WalkOptions;

  /** `from`: the first place whose size is needed. */
  constructor(
    private readonly session: OpenSession,
    { path, baseline }: Omit<PathSource, 'session'>,
    private readonly from = 0,
  ) {
    this.path = path;
    this.options = { baseline, messages: 'sizes' };
    this.lastChange = path.findLastIndex(isContextChange);
    this.count = new PathCount(session, path, from);
    const start = this.count.last?.place ?? (from === 0 ? 0 : null);
    this.noted = start !== null && this.lastChange < start ? [] : null;
    this.replay = new ForwardReplay(session, path, { ...this.options, since: start ?? from });
    this.estimateAnswer();
  }

  /** Throws a CtxError (input) if a transform cannot be replayed, unless the session is lenient. */
  after(place: number): CountedSize {
    const counted = this.findCountedAt(place);
    if (counted === null || counted.isChanged) return this.measureReplayed(place, counted);
    return measureAppendedSize(this.toLastRecorded(counted), counted.appended, BY_CHARACTERS);
  }

  /** The tokens of `after`, for less work. */
  tokensAfter(place: number): ContextTokens {
    const counted = this.findCountedAt(place);
    if (counted === null || counted.isChanged) return toContextTokens(this.measureReplayed(place, counted));
    return countAppendedTokens(this.toLastRecorded(counted), counted.appended, BY_CHARACTERS);
  }

  /** The diagnostics so far. */
  problems(): readonly Problem[] {
    return this.noted ?? this.replay.diagnostics;
  }

  private findCountedAt(place: number): CountedRequest | null {
    while (this.count.next <= place) {
      this.note(this.count.next);
      this.count.readNext();
      this.estimateAnswer();
    }
    return this.count.findRequestAt(place);
  }

  /** Finds the diagnostics of an entry. Only a lenient session goes on after one. */
  private note(place: number): void {
    const { session, noted, path } = this;
    if (this.isEachReplayed) {
      this.replay.to(place);
      return;
    }
    const head = path[place];
    if (!session.isLenient || noted === null || !head || place < this.from) return;
    const message = MESSAGE_TYPES.has(head.type) ? readEntryMessage(session.entry(head)) : null;
    const problem = findUnknownProblem(head, message);
    if (problem) noted.push(problem);
  }

  /** Whether the replay keeps up with the count, for the diagnostics of all entries. Each is then parsed once. */
  private get isEachReplayed(): boolean {
    return this.session.isLenient === true && this.noted === null;
  }

  /**
   * Estimates the context after the newest answer at once, if the replay will be past it when a change needs the
   * estimate.
   */
  private estimateAnswer(): void {
    const place = this.count.last?.place ?? Infinity;
    if (this.isEachReplayed && place < this.lastChange) this.estimateAt(place);
  }

  private measureReplayed(place: number, counted: CountedRequest | null): CountedSize {
    // The replay only moves forward, so the answer comes first.
    const atAnswer = counted && this.estimateAt(counted.place);
    const replay = this.replay.to(place);
    const now = replay.countParts();
    const first = counted && this.firstRecorded();
    if (!atAnswer || !first) return estimateSize(now, this.count.model, BY_CHARACTERS);
    const preamble = measurePreamblePrice(first, replay.isPreambleKnown, BY_CHARACTERS);
    return measureChangedSize(this.toLastRecorded(counted), { preamble, ...atAnswer, now }, BY_CHARACTERS);
  }

  private toLastRecorded({ request }: CountedRequest): LastRecorded {
    return { request, growth: () => this.count.growth };
  }
}

/** Replays a path as far as it is asked to. */
class ForwardReplay {
  private walked: ContextWalk | null = null;
  /** The place of the last entry that was replayed; -1 before the first. */
  private last = -1;

  constructor(
    private readonly session: OpenSession,
    private readonly path: readonly Head[],
    private readonly options: WalkOptions,
  ) {}

  /** The context after the entry at a place, which must not be before an earlier one; -1 is before the root. */
  to(place: number): Replay {
    this.walked ??= walk(this.session, this.path, this.options);
    const { steps, replay } = this.walked;
    while (this.last < place) {
      const { done, value } = steps.next();
      if (done) break;
      this.last = value.index;
      value.take();
    }
    return replay;
  }

  get diagnostics(): readonly Problem[] {
    return this.walked?.replay.diagnostics ?? [];
  }
}

/**
 * Whether the end of a path, from some entry on, is sufficient for the sizes from `since` on. A recorded answer must
 * precede it, with all requests for the growth, and only messages may follow that answer.
 */
export function isSizeKnown(session: Session, path: readonly Head[], since: number): boolean {
  const tail = findRecordedTail(session, walkUp(path.slice(0, since)), BY_CHARACTERS);
  const at = tail ? path.findLastIndex(({ index }) => index === tail.head.index) : -1;
  if (at < path.findLastIndex(isContextChange) || tail === null) return false;
  const above = path.slice(0, at).reduce((sum, { type, length }) => sum + (MESSAGE_TYPES.has(type) ? length : 0), 0);
  return above > MOST_GROWTH_BYTES;
}
