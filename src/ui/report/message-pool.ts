import { addContents, CATEGORIES, type Category, emptyBreakdown } from '#analysis/stats/token-breakdown.js';
import { asText } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { BY_CHARACTERS } from '#context/replay/tokens.js';
import { blocksFor, failureOf } from './blocks.js';
import type { Message } from './data.js';

interface NewMessage {
  /** The number of the entry that it comes from. */
  readonly entry: number;
  readonly origin: Message['origin'];
  readonly message: LlmMessage;
  /** The category that its text counts for. */
  readonly textIs: Category;
  /** Its texts may take so many bytes. */
  readonly most: number;
}

/** The messages of all requests, each once. */
export class MessagePool {
  readonly messages: Message[] = [];
  /** Of each message its estimated tokens: number of a category, tokens, and so on. */
  private readonly ledgers: (readonly number[])[] = [];
  private readonly categories: Category[] = [];

  add({ entry, origin, message, textIs, most }: NewMessage): number {
    const ledger = emptyBreakdown();
    const tokens = addContents(ledger, { message, textIs, parts: [], tools: [] }, BY_CHARACTERS);
    this.ledgers.push(CATEGORIES.flatMap((name, at) => (ledger[name] === 0 ? [] : [at, ledger[name]])));
    this.categories.push(textIs);
    const name = message.role === 'toolResult' ? asText(message['toolName'] ?? '?') : '';
    const blocks = blocksFor(message, most);
    return (
      this.messages.push({ entry, origin, role: message.role, name, failure: failureOf(message), tokens, blocks }) - 1
    );
  }

  textIs(number: number): Category {
    return this.categories[number] ?? 'user';
  }

  /** Adds the tokens of a message to a sum by category, or takes them away. */
  addTokens(sums: Float64Array, number: number, sign: 1 | -1): void {
    const ledger = this.ledgers[number] ?? [];
    for (let at = 0; at < ledger.length; at += 2) {
      const category = ledger[at] ?? 0;
      sums[category] = (sums[category] ?? 0) + sign * (ledger[at + 1] ?? 0);
    }
  }
}
