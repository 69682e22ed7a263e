import { formatJson } from '#base/json-text.js';
import { asString } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import { chooseCategory } from '#context/size/categories.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { readEntryContents } from '../stats/entry-contents.js';
import type { StoredMessages } from './message-pool.js';

/** Finds the number of a sent message, as it is stored or as an edit or a transform changed it. */
export class MessageForms {
  private readonly numbers = new WeakMap<LlmMessage, number>();
  private readonly changed = new Map<string, number>();

  constructor(private readonly source: StoredMessages) {}

  /** The number of the entry at a place; -1 for none. */
  entryAt({ line, entryId }: Pick<Provenance, 'line' | 'entryId'>): number {
    return findHeadAtLine(this.source.session, line, entryId)?.index ?? -1;
  }

  numberOf(message: LlmMessage, from: Provenance): number {
    const { origin } = from;
    const entry = this.entryAt(from);
    const stored = this.source.stored[entry] ?? -1;
    if (stored !== -1 && (origin === 'entry' || origin === 'compaction')) return stored;
    const cached = this.numbers.get(message);
    if (cached !== undefined) return cached;
    const number = this.findOrAdd(message, entry, from);
    this.numbers.set(message, number);
    return number;
  }

  /** Each branch is replayed separately, so equal messages may be different objects. */
  private findOrAdd(message: LlmMessage, entry: number, { origin, transformerName: transformer }: Provenance): number {
    const { pool, session, stored, findLimit } = this.source;
    const key = `${entry} ${origin} ${formatJson(message) ?? 'too deep'}`;
    const same = this.changed.get(key);
    if (same !== undefined) return same;
    const head = (stored[entry] ?? -1) === -1 ? undefined : session.tree.heads.at(entry);
    const own = head && readEntryContents(session.entry(head));
    const customType = own ? own.customType : asString(message.customType);
    const textCategory = own?.textCategory ?? (origin === 'compaction' ? 'summaries' : chooseCategory(message.role));
    const number = pool.add({
      entry,
      origin,
      transformer,
      message,
      textCategory,
      customType,
      most: findLimit(session.tree.heads.lengthAt(entry)),
    });
    this.changed.set(key, number);
    return number;
  }
}
