import { CATEGORIES } from '#context/size/composition.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import type { Session } from '#session/session.js';
import { addContents, buildEmptyBreakdown } from '../stats/token-breakdown.js';
import type { ReportMessage } from './document.js';
import { buildPageBlocks } from './page-blocks.js';
import { buildReportMessage, type NewMessage } from './report-message.js';

/** The messages of all requests by number, without their texts: first those that entries store, then changed ones. */
export class MessagePool {
  /** Of each message the number of its source entry. */
  readonly entries: number[] = [];
  /** Of each message the estimated tokens. */
  readonly tokens: number[] = [];
  /** The messages that are not as an entry stores them. */
  readonly changed: ReportMessage[] = [];
  /** Whether a text is truncated. */
  isCut = false;
  /** The estimated tokens of the messages by category, each number with that of its category in its last digits. */
  private readonly categoryTokens: number[] = [];
  /** The place in `categoryTokens` after each message. */
  private readonly ends: number[] = [];

  /** Adds a message that an entry stores: the page reads it again. */
  addStored({ entry, message, textIs, most }: NewMessage): number {
    const breakdown = buildEmptyBreakdown();
    this.tokens.push(addContents(breakdown, { message, textIs, parts: [], tools: [] }, BY_CHARACTERS));
    for (const [at, name] of CATEGORIES.entries())
      if (breakdown[name] !== 0) this.categoryTokens.push(breakdown[name] * CATEGORIES.length + at);
    this.ends.push(this.categoryTokens.length);
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
      const both = this.categoryTokens[at] ?? 0;
      const category = both % CATEGORIES.length;
      sums[category] = (sums[category] ?? 0) + (both - category) / CATEGORIES.length;
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
  readonly mostOf: (bytes: number) => number;
}
