import { categoryOf } from '#analysis/stats/token-breakdown.js';
import { jsonText } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { Heads } from '#session/table/heads.js';
import type { MessagePool } from './message-pool.js';

interface Known {
  readonly heads: Heads;
  readonly pool: MessagePool;
  /** Of each entry the message that it stores; -1 for none. */
  readonly stored: readonly number[];
  readonly mostOf: (bytes: number) => number;
}

/** Finds the number of a message that is sent: what an entry stores, or what an edit or a transform made of it. */
export class Forms {
  private readonly entries = new Map<number, number>();
  private readonly numbers = new WeakMap<LlmMessage, number>();
  private readonly changed = new Map<string, number>();

  constructor(private readonly known: Known) {
    const { heads } = known;
    for (let index = 0; index < heads.length; index += 1) this.entries.set(heads.lineAt(index), index);
  }

  /** The number of the entry on a line; -1 for a line that holds none. */
  entryAt(line: number): number {
    return this.entries.get(line) ?? -1;
  }

  numberOf(message: LlmMessage, { line, origin }: Provenance): number {
    const entry = this.entryAt(line);
    const stored = this.known.stored[entry] ?? -1;
    if (stored !== -1 && (origin === 'entry' || origin === 'compaction')) return stored;
    const known = this.numbers.get(message);
    if (known !== undefined) return known;
    const number = this.equalTo(message, entry, origin);
    this.numbers.set(message, number);
    return number;
  }

  /** Each branch is replayed by itself, so equal messages may be different objects. */
  private equalTo(message: LlmMessage, entry: number, origin: Provenance['origin']): number {
    const { pool, heads, stored, mostOf } = this.known;
    const key = `${entry} ${origin} ${jsonText(message) ?? 'too deep'}`;
    const same = this.changed.get(key);
    if (same !== undefined) return same;
    const base = stored[entry] ?? -1;
    const textIs = base !== -1 ? pool.textIs(base) : origin === 'compaction' ? 'summaries' : categoryOf(message.role);
    const number = pool.add({ entry, origin, message, textIs, most: mostOf(heads.lengthAt(entry)) });
    this.changed.set(key, number);
    return number;
  }
}
