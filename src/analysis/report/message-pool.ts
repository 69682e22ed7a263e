import { asText, jsonText } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import { BY_CHARACTERS } from '#context/replay/tokens.js';
import { preview, shortened } from '#context/words/message-text.js';
import { keyOfHead, placeKey } from '#session/table/head.js';
import { CATEGORIES, type Category } from '../stats/session-stats.js';
import { addContents, categoryOf, emptyBreakdown } from '../stats/token-breakdown.js';
import { blocksFor, unshared } from './blocks.js';
import type { ReportMessage } from './document.js';
import type { RequestSource } from './request-source.js';

interface NewMessage {
  /** The number of its source entry. */
  readonly entry: number;
  readonly origin: ReportMessage['origin'];
  /** The name of the transform that added it. */
  readonly transformer?: string | undefined;
  readonly message: LlmMessage;
  readonly textIs: Category;
  /** The maximum bytes of its texts. */
  readonly most: number;
  /** The call that a tool result answers, if known. */
  readonly call?: string | null;
}

/** A row of the page has room for fewer characters. */
const LONGEST_PREVIEW = 140;

/** The messages of all requests, each stored once. */
export class MessagePool {
  readonly messages: ReportMessage[] = [];
  /** The estimated tokens of each message: category number, tokens, category number, and so on. */
  private readonly ledgers: (readonly number[])[] = [];
  private readonly categories: Category[] = [];

  add({ entry, origin, transformer, message, textIs, most, call }: NewMessage): number {
    const ledger = emptyBreakdown();
    const tokens = addContents(ledger, { message, textIs, parts: [], tools: [] }, BY_CHARACTERS);
    this.ledgers.push(CATEGORIES.flatMap((name, at) => (ledger[name] === 0 ? [] : [at, ledger[name]])));
    this.categories.push(textIs);
    const name = message.role === 'toolResult' ? asText(message['toolName'] ?? '?') : '';
    const blocks = blocksFor(message, most);
    const line = shortened(preview(message, call), LONGEST_PREVIEW);
    const from = transformer === undefined ? { entry, origin } : { entry, origin, transformer };
    const about = { role: message.role, name, preview: unshared(line), tokens };
    return this.messages.push({ ...from, ...about, blocks }) - 1;
  }

  textIs(number: number): Category {
    return this.categories[number] ?? 'user';
  }

  addTokens(sums: Float64Array, number: number): void {
    const ledger = this.ledgers[number] ?? [];
    for (let at = 0; at < ledger.length; at += 2) {
      const category = ledger[at] ?? 0;
      sums[category] = (sums[category] ?? 0) + (ledger[at + 1] ?? 0);
    }
  }
}

/** Numbers values from 0. Values with the same key have the same number. */
export class Numbers<Value> {
  readonly values: Value[] = [];
  private readonly known = new Map<string, number>();

  numberOf(key: string, make: () => Value): number {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const number = this.values.push(make()) - 1;
    this.known.set(key, number);
    return number;
  }
}

/** Finds the number of a sent message, as it is stored or as an edit or a transform changed it. */
export class Forms {
  private readonly entries = new Map<string, number>();
  private readonly numbers = new WeakMap<LlmMessage, number>();
  private readonly changed = new Map<string, number>();

  constructor(private readonly known: Pick<RequestSource, 'session' | 'pool' | 'stored' | 'mostOf'>) {
    for (const head of known.session.tree.heads) this.entries.set(keyOfHead(head), head.index);
  }

  /** The number of the entry at a place; -1 for none. */
  entryAt(place: Parameters<typeof placeKey>[0]): number {
    return this.entries.get(placeKey(place)) ?? -1;
  }

  numberOf(message: LlmMessage, from: Provenance): number {
    const { origin } = from;
    const entry = this.entryAt(from);
    const stored = this.known.stored[entry] ?? -1;
    if (stored !== -1 && (origin === 'entry' || origin === 'compaction')) return stored;
    const known = this.numbers.get(message);
    if (known !== undefined) return known;
    const number = this.equalTo(message, entry, from);
    this.numbers.set(message, number);
    return number;
  }

  /** Each branch is replayed separately, so equal messages may be different objects. */
  private equalTo(message: LlmMessage, entry: number, { origin, transformerName: transformer }: Provenance): number {
    const { pool, session, stored, mostOf } = this.known;
    const key = `${entry} ${origin} ${jsonText(message) ?? 'too deep'}`;
    const same = this.changed.get(key);
    if (same !== undefined) return same;
    const base = stored[entry] ?? -1;
    const textIs = base !== -1 ? pool.textIs(base) : origin === 'compaction' ? 'summaries' : categoryOf(message.role);
    const number = pool.add({
      entry,
      origin,
      transformer,
      message,
      textIs,
      most: mostOf(session.tree.heads.lengthAt(entry)),
    });
    this.changed.set(key, number);
    return number;
  }
}
