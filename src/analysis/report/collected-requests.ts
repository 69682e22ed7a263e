import { asString } from '#base/json.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { readLoggedMessages } from '#context/replay/convert.js';
import { chooseCategory } from '#context/size/categories.js';
import type { Head } from '#session/heads/head.js';
import type { RequestColumns } from './document.js';
import { MessageTree } from './message-tree.js';
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

/** The columns of the document, growing. Those that it derives from others are left out. */
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
  readonly tree: MessageTree;

  constructor(private readonly source: RequestSource) {
    const { length } = source.session.tree.heads;
    // Most messages are in the tree once.
    this.tree = new MessageTree(source.pool, length);
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
      previous: this.tree.previous,
      messages: this.tree.messages,
    };
    this.numbers = new Int32Array(length).fill(-1);
  }

  /** Adds a request, and returns its number. */
  add({ entry, before, last, preamble, model, level, logged }: NewRequest): number {
    const { columns, source } = this;
    columns.before.push(before);
    columns.lasts.push(last);
    columns.preambles.push(preamble);
    columns.models.push(model);
    columns.levels.push(level);
    columns.tokens.push(source.counted[entry] || null);
    const number = columns.entries.push(entry) - 1;
    if (last !== -1) columns.ledgers.set(this.tree.sumsAt(last), number * CONTENT_KINDS.length);
    if (entry !== -1) this.numbers[entry] = number;
    const uncached = logged ? this.addLogged(logged) : [];
    if (uncached.length > 0) columns.uncached.push([number, uncached]);
    return number;
  }

  private addLogged(logged: Head): readonly number[] {
    const { session, pool, findLimit } = this.source;
    const most = findLimit(logged.length);
    return readLoggedMessages(session.entry(logged)).map((message) =>
      pool.add({
        entry: logged.index,
        origin: 'ephemeral',
        message,
        textCategory: chooseCategory(message.role),
        customType: asString(message.customType),
        most,
      }),
    );
  }
}
