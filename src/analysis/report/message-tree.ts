import { CONTENT_KINDS } from '#context/contents/kinds.js';
import type { RequestSource } from './request-source.js';

/**
 * The messages of all requests as a tree, in which requests with the same beginning share it. A message is a number of
 * the pool, and has a place in the tree.
 */
export class MessageTree {
  /** The place of the message before each one; -1 for the first of a request. */
  readonly previous: number[] = [];
  readonly messages: number[] = [];
  /** The first place after each place; -1 for none. The first item belongs to the root, which precedes all places. */
  private readonly firstNext = [-1];
  /** The places that are not the first after another one, by that one and their message. */
  private readonly otherNext = new Map<number, number>();
  /** The estimated tokens from the root to each place, one number for each kind of content. */
  private sums: Uint32Array;

  /** `length`: the number of messages that it has room for. It grows when there are more. */
  constructor(
    private readonly pool: RequestSource['pool'],
    length: number,
  ) {
    this.sums = new Uint32Array(length * CONTENT_KINDS.length);
  }

  /** Adds a message after another one, unless it is there. Returns its place. */
  append(previous: number, message: number): number {
    const first = this.firstNext[previous + 1] ?? -1;
    if (first === -1) {
      const place = this.create(previous, message);
      this.firstNext[previous + 1] = place;
      return place;
    }
    if (this.messages[first] === message) return first;
    const key = (previous + 1) * MOST_MESSAGES + message;
    const place = this.otherNext.get(key) ?? this.create(previous, message);
    this.otherNext.set(key, place);
    return place;
  }

  /** The tokens of the messages up to a place, by the kind of content. */
  sumsAt(place: number): Uint32Array {
    const from = place * CONTENT_KINDS.length;
    const to = (place + 1) * CONTENT_KINDS.length;
    if (to > this.sums.length) {
      const sums = new Uint32Array(to * 2);
      sums.set(this.sums);
      this.sums = sums;
    }
    return this.sums.subarray(from, to);
  }

  private create(previous: number, message: number): number {
    const place = this.messages.length;
    this.firstNext.push(-1);
    this.previous.push(previous);
    this.messages.push(message);
    const sums = this.sumsAt(place);
    if (previous !== -1) sums.set(this.sumsAt(previous));
    this.pool.addTokens(sums, message);
    return place;
  }
}

/** More than a page can have, so that two numbers make one key. */
const MOST_MESSAGES = 2 ** 26;
