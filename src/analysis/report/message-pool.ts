import { formatJson } from '#base/json-text.js';
import { asText } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import { CATEGORIES, type Category, categoryOf } from '#context/size/composition.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { previewMessage, shorten } from '#context/words/message-text.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { addContents, buildEmptyBreakdown, readEntryContents } from '../stats/token-breakdown.js';
import { buildPageBlocks, copyText } from './blocks.js';
import type { ReportMessage } from './document.js';
import type { RequestSource } from './request-source.js';

export interface NewMessage {
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
  /** The folder of the session, to which paths are relative. */
  readonly cwd?: string;
}

/** A row of the page has room for fewer characters. */
const LONGEST_PREVIEW = 140;

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
  private readonly ledger: number[] = [];
  /** The place in the ledger after each message. */
  private readonly ends: number[] = [];

  /** Adds a message that an entry stores: the page reads it again. */
  addStored({ entry, message, textIs, most }: NewMessage): number {
    const ledger = buildEmptyBreakdown();
    this.tokens.push(addContents(ledger, { message, textIs, parts: [], tools: [] }, BY_CHARACTERS));
    for (const [at, name] of CATEGORIES.entries())
      if (ledger[name] !== 0) this.ledger.push(ledger[name] * CATEGORIES.length + at);
    this.ends.push(this.ledger.length);
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
      const both = this.ledger[at] ?? 0;
      const category = both % CATEGORIES.length;
      sums[category] = (sums[category] ?? 0) + (both - category) / CATEGORIES.length;
    }
  }
}

/** A message as the page has it. */
export function buildReportMessage(
  { entry, origin, transformer, message, most, call, cwd }: NewMessage,
  tokens: number,
): ReportMessage {
  const name = message.role === 'toolResult' ? asText(message['toolName'] ?? '?') : '';
  const line = shorten(previewMessage(message, call, cwd), LONGEST_PREVIEW);
  const from = transformer === undefined ? { entry, origin } : { entry, origin, transformer };
  const about = { role: message.role, name, preview: copyText(line), tokens };
  return { ...from, ...about, blocks: buildPageBlocks(message, most) };
}

/** Numbers values from 0. Values with the same key have the same number. */
export class Numbering<Value> {
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
export class MessageForms {
  private readonly numbers = new WeakMap<LlmMessage, number>();
  private readonly changed = new Map<string, number>();

  constructor(private readonly known: Pick<RequestSource, 'session' | 'pool' | 'stored' | 'mostOf'>) {}

  /** The number of the entry at a place; -1 for none. */
  entryAt({ line, entryId }: Pick<Provenance, 'line' | 'entryId'>): number {
    return findHeadAtLine(this.known.session, line, entryId)?.index ?? -1;
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
    const key = `${entry} ${origin} ${formatJson(message) ?? 'too deep'}`;
    const same = this.changed.get(key);
    if (same !== undefined) return same;
    const head = (stored[entry] ?? -1) === -1 ? undefined : session.tree.heads.at(entry);
    const own = head && readEntryContents(session.entry(head))?.textIs;
    const textIs = own ?? (origin === 'compaction' ? 'summaries' : categoryOf(message.role));
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
