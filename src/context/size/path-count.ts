import { memoizeLast } from '#base/memoize.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findModelName, setsModel } from '../replay/settings.js';
import { Growth } from './growth.js';
import type { RecordedRequest } from './recorded-request.js';
import { findRecordedTail, findSentRequest, walkUp } from './recorded-tail.js';
import { readSizeEffect, type SizeEffect } from './size-effect.js';
import { BY_CHARACTERS } from './tokens.js';

/** A request of a path that a provider counted, and what follows its answer so far. */
export interface CountedRequest {
  /** The place of the answer on the path, or of the last entry of the request, if that is the whole context. */
  readonly place: number;
  readonly request: RecordedRequest;
  /** Estimated tokens of the messages after the answer. */
  readonly appended: number;
  /** Whether an entry after the answer changed the context in another way than by a message. */
  readonly isChanged: boolean;
}

/**
 * Reads a path entry by entry for the last request that a provider counted, and for what follows it. Replays nothing.
 */
export class PathCount {
  /** null if no request has been counted so far. */
  last: CountedRequest | null = null;
  /** The first place that is not read yet. */
  next = 0;
  /** The growth of the counted prompts so far. */
  growth = new Growth();
  /** The newest entry so far that sets the model. */
  private settingModel: Head | null = null;
  private readonly readModel = memoizeLast((head: Head | null) => head && findModelName(this.session, [head]));
  // One entry is read twice, where a request is counted by the answer after it.
  private readonly readEffect = memoizeLast((head: Head) => readSizeEffect(this.session, head, BY_CHARACTERS));

  /**
   * Begins at `from`. It reads only the last counted request before that, and the requests on which growth is measured.
   */
  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
    from: number,
  ) {
    this.next = from;
    const above = path.slice(0, from);
    const tail = findRecordedTail(session, walkUp(above), BY_CHARACTERS);
    this.settingModel = above.findLast(setsModel) ?? null;
    if (!tail) return;
    const place = above.findLastIndex(({ index }) => index === tail.head.index);
    this.growth = tail.growth();
    this.last = toCountedRequest(place, tail.request);
    this.next = place + 1;
  }

  /** The id of the model at the last entry that was read; null if it is unknown. */
  get model(): string | null {
    return this.readModel(this.settingModel);
  }

  readNext(): void {
    const place = this.next;
    this.next += 1;
    const head = this.path[place];
    if (!head) return;
    if (setsModel(head)) this.settingModel = head;
    const effect = this.readEffect(head);
    if (effect === null) return;
    this.growth.take(effect);
    this.last = followEffect(this.last, effect, place);
  }

  /** The request that ends at a place, the last one that was read, if its answer follows; else the last one before. */
  findRequestAt(place: number): CountedRequest | null {
    const head = this.path[place];
    if (!head || this.last?.place === place) return this.last;
    const sent = findSentRequest(this.session, head, (answer) => this.readRequest(answer));
    return sent ? toCountedRequest(place, sent) : this.last;
  }

  private readRequest(answer: Head): RecordedRequest | null {
    const next = this.path[this.next];
    // Reads the same object as the path does, so that it is parsed once.
    const effect = this.readEffect(next?.index === answer.index ? next : answer);
    return effect?.kind === 'message' ? effect.request : null;
  }
}

/** The last counted request after an entry more, at `place`. */
function followEffect(last: CountedRequest | null, effect: SizeEffect, place: number): CountedRequest | null {
  if (effect.kind === 'change') return last && { ...last, isChanged: true };
  if (effect.request) return toCountedRequest(place, effect.request);
  return last && { ...last, appended: last.appended + effect.tokens };
}

function toCountedRequest(place: number, request: RecordedRequest): CountedRequest {
  return { place, request, appended: 0, isChanged: false };
}
