import { canonicalJson } from '#base/canonical-json.js';
import type { JsonObject } from '#base/json.js';
import { parseCharacters, type WrittenRecord } from '../written-records.js';

/** Numbers the records of a copy without gaps, where the client numbers them: it opens no other file. */
export class Ordinals {
  private next: number | null = null;

  number(record: WrittenRecord): WrittenRecord {
    const { ordinal } = record.value;
    if (typeof ordinal !== 'number') return record;
    const own = this.next ?? ordinal;
    this.next = own + 1;
    if (own === ordinal) return record;
    const value = { ...record.value, ordinal: own };
    // The first member of this name is that of the record, unless another one with it comes before.
    const raw = record.raw?.replace(/"ordinal"\s*:\s*\d+/, `"ordinal":${own}`) ?? null;
    const isSame = raw !== null && canonicalJson(parseCharacters(raw)) === canonicalJson(value);
    return { value, raw: isSame ? raw : null };
  }

  append(value: JsonObject): JsonObject {
    const { timestamp, ordinal: _, ...fields } = value;
    const ordinal = this.next;
    if (ordinal === null) return { timestamp, ...fields };
    this.next = ordinal + 1;
    return { timestamp, ordinal, ...fields };
  }
}
