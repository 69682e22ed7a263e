import type { RawId } from './head.js';
import { HexIdMap, type KeysInRows } from './hex-id-map.js';

/** The index of no entry, and of no record. */
export const NONE = -1;

/** How an id is stored: one of Pi as its eight hex digits, a strange one as its index in a list of values. */
export const ID_KIND = { none: 0, null: 1, digits: 2, strange: 3 } as const;

export type IdKind = (typeof ID_KIND)[keyof typeof ID_KIND];

export interface StoredId {
  readonly kind: IdKind;
  readonly word: number;
}

/** The entry of each id of a session: of several with one id, the last. Entries are given by index. */
export class IdIndex {
  private readonly entries: HexIdMap;
  /** The values that are no ids of Pi: at 0 undefined, for no id, at 1 null, and from 2 on strange ids. */
  private readonly values: RawId[];
  /** The index of each value in `values`. */
  private readonly valueIndices: Map<RawId, number>;
  /** The entry of each value, by the index of the value. */
  private readonly entryOfValue: number[];
  private hasRepeats: boolean;

  /** `room`: the expected number of ids. `above`: ids to continue. */
  constructor(
    room: number,
    private readonly above?: IdIndex,
  ) {
    // The table is filled evenly, so too much room would cost memory.
    this.entries = new HexIdMap(Math.ceil(room / 2));
    this.values = [...(above?.values ?? [undefined, null])];
    this.valueIndices = new Map(above?.valueIndices ?? this.values.map((id, at) => [id, at]));
    this.entryOfValue = [...(above?.entryOfValue ?? [NONE, NONE])];
    this.hasRepeats = above?.hasRepeats ?? false;
  }

  /** Whether every id belongs to exactly one entry. */
  get areUnique(): boolean {
    return !this.hasRepeats;
  }

  keep(id: RawId): StoredId {
    const digits = parseHexDigits(id);
    if (digits !== null) return { kind: ID_KIND.digits, word: digits };
    if (id === undefined) return { kind: ID_KIND.none, word: ID_KIND.none };
    if (id === null) return { kind: ID_KIND.null, word: ID_KIND.null };
    return { kind: ID_KIND.strange, word: this.addValue(id) };
  }

  /** The index of a value in the list, to which it is added if it is new. */
  private addValue(id: RawId): number {
    const existing = this.valueIndices.get(id);
    if (existing !== undefined) return existing;
    const index = this.values.push(id) - 1;
    this.valueIndices.set(id, index);
    return index;
  }

  value(kind: IdKind, word: number): RawId {
    return kind === ID_KIND.digits ? formatHexId(word) : this.values[toValueIndex(kind, word)];
  }

  /** Assigns an id to an entry from now on. */
  set(kind: IdKind, word: number, index: number): void {
    if (kind === ID_KIND.digits) {
      const above = this.above?.entryOf(kind, word) ?? NONE;
      if (this.entries.set(word, index) || above !== NONE) this.hasRepeats = true;
      return;
    }
    const at = toValueIndex(kind, word);
    if ((this.entryOfValue[at] ?? NONE) !== NONE) this.hasRepeats = true;
    this.entryOfValue[at] = index;
  }

  /** Sets many ids of eight hex digits for consecutive entries. The index must not continue another one. */
  setAll(words: Uint32Array, rows: KeysInRows): void {
    if (this.entries.setAll(words, rows)) this.hasRepeats = true;
  }

  /** The entry of an id, NONE if there is none. */
  entryOf(kind: IdKind, word: number): number {
    if (kind === ID_KIND.digits) return this.entries.get(word) ?? this.above?.entryOf(kind, word) ?? NONE;
    return this.entryOfValue[toValueIndex(kind, word)] ?? NONE;
  }

  find(id: RawId): number {
    const digits = parseHexDigits(id);
    if (digits !== null) return this.entryOf(ID_KIND.digits, digits);
    return this.entryOfValue[this.valueIndices.get(id) ?? NONE] ?? NONE;
  }
}

/** Returns the index of a value in the list: that of none and null is their kind, whatever the word. */
function toValueIndex(kind: IdKind, word: number): number {
  return kind === ID_KIND.strange ? word : kind;
}

const HEX_DIGITS = 8;

/** The value of an id in Pi's format, eight hex digits in lower case. */
function parseHexDigits(id: RawId): number | null {
  const isHex = typeof id === 'string' && id.length === HEX_DIGITS && /^[0-9a-f]{8}$/.test(id);
  return isHex ? Number.parseInt(id, 16) : null;
}

/** The eight hex digits of a number. By bytes, since a number of 32 bits is slow to write in another base. */
export function formatHexId(digits: number): string {
  return `${formatHexByte(digits >>> 24)}${formatHexByte(digits >>> 16)}${formatHexByte(digits >>> 8)}${formatHexByte(digits)}`;
}

function formatHexByte(byte: number): string {
  return BYTES[byte & 0xff] ?? '';
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
