import { sumByKind } from '#context/contents/contents.js';
import { listMessagePieces } from '#context/size/content-pieces.js';
import { BY_CHARACTERS, weighMessage } from '#context/size/tokens.js';
import type { Session } from '#session/session.js';
import type { ReportMessage } from './document.js';
import { buildPageBlocks } from './page-blocks.js';
import { buildReportMessage, type NewMessage } from './report-message.js';

/** The messages of all requests by number, without their texts: first those that entries store, then changed ones. */
export class MessagePool {
  /** The number of the source entry of each message. */
  readonly entries: number[] = [];
  /** The estimated tokens of each message. */
  readonly tokens: number[] = [];
  /** The messages that are not as an entry stores them. */
  readonly changed: ReportMessage[] = [];
  /** Whether a text is truncated. */
  isCut = false;
  /**
   * The estimated tokens of each message by kind of content, in three columns: a report may have a million messages.
   * `kinds` and `kindTokens` have a place for each kind in a message; `ends` has the place after the last one of it.
   */
  private readonly kinds: number[] = [];
  private readonly kindTokens: number[] = [];
  private readonly ends: number[] = [];

  /** Adds a message that an entry stores, from which the page reads it again. Returns its number. */
  addStored({ entry, message, textCategory, customType, most }: NewMessage): number {
    const weight = weighMessage(message, BY_CHARACTERS, customType);
    this.tokens.push(weight.tokens);
    this.pushKinds(sumByKind(listMessagePieces({ weight, textCategory, tool: null })));
    if (!this.isCut && most !== Infinity)
      this.isCut = buildPageBlocks(message, most).some((block) => 'leftOut' in block);
    return this.entries.push(entry) - 1;
  }

  private pushKinds(sums: readonly number[]): void {
    for (const [kind, tokens] of sums.entries()) {
      if (tokens === 0) continue;
      this.kinds.push(kind);
      this.kindTokens.push(tokens);
    }
    this.ends.push(this.kinds.length);
  }

  /** Adds a message that the page cannot read from an entry. Returns its number. */
  add(message: NewMessage): number {
    const number = this.addStored(message);
    this.changed.push(buildReportMessage(message, this.tokens[number] ?? 0));
    return number;
  }

  /** Adds the tokens of a message to the sums of all kinds, which are in the order of `CONTENT_KINDS`. */
  addTokens(sums: Uint32Array, number: number): void {
    const start = this.ends[number - 1] ?? 0;
    const end = this.ends[number] ?? 0;
    for (let at = start; at < end; at += 1) {
      const kind = this.kinds[at] ?? 0;
      sums[kind] = (sums[kind] ?? 0) + (this.kindTokens[at] ?? 0);
    }
  }
}

/** The messages that the entries of a session store, by their numbers in a pool. */
export interface StoredMessages {
  readonly session: Session;
  readonly pool: MessagePool;
  /** The message that each entry stores; -1 for none. */
  readonly stored: readonly number[];
  /** The maximum bytes of an entry's texts, for a line of `bytes` bytes. */
  readonly findLimit: (bytes: number) => number;
}
