import { asString } from '#base/json.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { readLoggedMessages } from '#context/replay/convert.js';
import { chooseCategory } from '#context/size/categories.js';
import type { Head } from '#session/heads/head.js';
import type { RequestColumns } from './document.js';
import type { RequestSource } from './request-source.js';

interface NewRequest {
  /** The answer; -1 for the next request. */
  readonly entry: number;
  /** The previous request on its path; -1 for none. */
  readonly before: number;
  /** Its last message in the tree of messages; -1 for none. */
  readonly last: number;
  readonly preamble: number;
  readonly model: number;
  readonly level: number;
  /** The entry that logged messages for this request only. */
  readonly logged: Head | null;
}

export type Columns = {
  -readonly [
    Name in Exclude<keyof RequestColumns, 'ledgers' | 'estimated' | 'onPath' | 'leftOut'>
  ]: RequestColumns[Name][number][];
} & { readonly ledgers: Uint32Array };

/** The requests found so far, by column. */
export class CollectedRequests {
  readonly columns: Columns;
  /** The request that each entry answers; -1 for none so far. */
  readonly numbers: Int32Array;
  /** Of each message in the tree, the estimated tokens up to it, one number per kind of content. */
  private sums: Uint32Array;
  /** Of each message in the tree, the first one after it, from the beginning on; -1 for none. */
  private readonly nexts = [-1];
  /** The places of messages that are not the first after another one. */
  private readonly branches = new Map<number, number>();

  constructor(private readonly source: RequestSource) {
    const { length } = source.session.tree.heads;
    this.columns = {
      entries: [],
      before: [],
      lasts: [],
      preambles: [],
      models: [],
      levels: [],
      uncached: [],
      // There is at most one request for each entry, and the next one.
      ledgers: new Uint32Array((length + 1) * CONTENT_KINDS.length),
      tokens: [],
      previous: [],
      messages: [],
    };
    this.numbers = new Int32Array(length).fill(-1);
    // Most messages are in the tree once.
    this.sums = new Uint32Array(length * CONTENT_KINDS.length);
  }

  /** Adds a message after another one to the tree, unless it is there. Returns its place. */
  append(previous: number, message: number): number {
    const { columns, nexts, branches } = this;
    const next = nexts[previous + 1] ?? -1;
    if (columns.messages[next] === message) return next;
    const key = (previous + 1) * MOST_MESSAGES + message;
    const known = next === -1 ? undefined : branches.get(key);
    if (known !== undefined) return known;
    const place = nexts.push(-1) - 2;
    if (next === -1) nexts[previous + 1] = place;
    else branches.set(key, place);
    columns.previous.push(previous);
    columns.messages.push(message);
    const sums = this.sumsAt(place);
    if (previous !== -1) sums.set(this.sumsAt(previous));
    this.source.pool.addTokens(sums, message);
    return place;
  }

  private sumsAt(place: number): Uint32Array {
    const from = place * CONTENT_KINDS.length;
    const to = (place + 1) * CONTENT_KINDS.length;
    if (to > this.sums.length) {
      const sums = new Uint32Array(to * 2);
      sums.set(this.sums);
      this.sums = sums;
    }
    return this.sums.subarray(from, to);
  }

  add({ entry, before, last, preamble, model, level, logged }: NewRequest): number {
    const { columns, source } = this;
    columns.before.push(before);
    columns.lasts.push(last);
    columns.preambles.push(preamble);
    columns.models.push(model);
    columns.levels.push(level);
    columns.tokens.push(source.counted[entry] || null);
    const number = columns.entries.push(entry) - 1;
    if (last !== -1) columns.ledgers.set(this.sumsAt(last), number * CONTENT_KINDS.length);
    if (entry !== -1) this.numbers[entry] = number;
    const uncached = logged ? this.addLogged(logged) : [];
    if (uncached.length > 0) columns.uncached.push([number, uncached]);
    return number;
  }

  private addLogged(logged: Head): readonly number[] {
    const { session, pool, mostOf } = this.source;
    const most = mostOf(logged.length);
    return readLoggedMessages(session.entry(logged)).map((message) =>
      pool.add({
        entry: logged.index,
        origin: 'ephemeral',
        message,
        textIs: chooseCategory(message.role),
        customType: asString(message.customType),
        most,
      }),
    );
  }
}

/** More than a page can have, so that two numbers make one key. */
const MOST_MESSAGES = 2 ** 26;
