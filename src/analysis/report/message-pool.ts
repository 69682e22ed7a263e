import { sumByKind } from '#context/contents/contents.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
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
  /** The estimated tokens of the messages by kind of content, each number with that of its kind in its last digits. */
  private readonly kindTokens: number[] = [];
  /** The place in `kindTokens` after each message. */
  private readonly ends: number[] = [];

  /** Adds a message that an entry stores: the page reads it again. */
  addStored({ entry, message, textIs, customType, most }: NewMessage): number {
    const weight = weighMessage(message, BY_CHARACTERS, customType);
    this.tokens.push(weight.tokens);
    for (const [at, tokens] of sumByKind(listMessagePieces({ weight, textIs, tool: null })).entries())
      if (tokens !== 0) this.kindTokens.push(tokens * CONTENT_KINDS.length + at);
    this.ends.push(this.kindTokens.length);
    if (!this.isCut && most !== Infinity)
      this.isCut = buildPageBlocks(message, most).some((block) => 'leftOut' in block);
    return this.entries.push(entry) - 1;
  }

  add(message: NewMessage): number {
    const number = this.addStored(message);
    this.changed.push(buildReportMessage(message, this.tokens[number] ?? 0));
    return number;
  }

  addTokens(sums: Uint32Array, number: number): void {
    for (let at = this.ends[number - 1] ?? 0; at < (this.ends[number] ?? 0); at += 1) {
      const both = this.kindTokens[at] ?? 0;
      const kind = both % CONTENT_KINDS.length;
      sums[kind] = (sums[kind] ?? 0) + (both - kind) / CONTENT_KINDS.length;
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
