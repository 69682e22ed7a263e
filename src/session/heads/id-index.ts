import type { RawId } from './head.js';
import { HexIdMap, type KeysInRows } from './hex-id-map.js';

/** The index of no entry, and of no record. */
export const NONE = -1;

/** The storage of an id: ids of Pi as their eight hex digits, others by their index in a list. */
export const ID_KIND = { none: 0, null: 1, digits: 2, strange: 3 } as const;

export interface StoredId {
  readonly kind: number;
  readonly word: number;
}

/** The entry of each id of a session: of several with one id, the last. Entries are given by index. */
export class IdIndex {
  private readonly entries: HexIdMap;
  /** All other values, with null and none at their kind. */
  private readonly values: RawId[];
  private readonly places: Map<RawId, number>;
  private readonly entriesOfValues: number[];
  private hasRepeats: boolean;

  /** `room`: the expected number of ids. `above`: ids to continue. */
  constructor(
    room: number,
    private readonly above?: IdIndex,
  ) {
    // The table is filled evenly, so too much room would cost memory.
    this.entries = new HexIdMap(Math.ceil(room / 2));
    this.values = [...(above?.values ?? [undefined, null])];
    this.places = new Map(above?.places ?? this.values.map((id, place) => [id, place]));
    this.entriesOfValues = [...(above?.entriesOfValues ?? [NONE, NONE])];
    this.hasRepeats = above?.hasRepeats ?? false;
  }

  /** Whether every id belongs to exactly one entry. */
  get areUnique(): boolean {
    return !this.hasRepeats;
  }

  keep(id: RawId): StoredId {
    const digits = parseHexDigits(id);
    if (digits !== null) return { kind: ID_KIND.digits, word: digits };
    const existing = this.places.get(id);
    const place = existing ?? this.values.push(id) - 1;
    if (existing === undefined) this.places.set(id, place);
    return { kind: place > ID_KIND.null ? ID_KIND.strange : place, word: place };
  }

  value(kind: number, word: number): RawId {
    return kind === ID_KIND.digits ? formatHexId(word) : this.values[placeOf(kind, word)];
  }

  /** Assigns an id to an entry from now on. */
  set(kind: number, word: number, index: number): void {
    if (kind === ID_KIND.digits) {
      const above = this.above?.entryOf(kind, word) ?? NONE;
      if (this.entries.set(word, index) || above !== NONE) this.hasRepeats = true;
      return;
    }
    const place = placeOf(kind, word);
    if ((this.entriesOfValues[place] ?? NONE) !== NONE) this.hasRepeats = true;
    this.entriesOfValues[place] = index;
  }

  /** Sets many ids of eight hex digits for consecutive entries. The index must not continue another one. */
  setAll(words: Uint32Array, place: KeysInRows): void {
    if (this.entries.setAll(words, place)) this.hasRepeats = true;
  }

  /** The entry of an id, NONE if there is none. */
  entryOf(kind: number, word: number): number {
    if (kind === ID_KIND.digits) return this.entries.get(word) ?? this.above?.entryOf(kind, word) ?? NONE;
    return this.entriesOfValues[placeOf(kind, word)] ?? NONE;
  }

  find(id: RawId): number {
    const digits = parseHexDigits(id);
    if (digits !== null) return this.entryOf(ID_KIND.digits, digits);
    return this.entriesOfValues[this.places.get(id) ?? NONE] ?? NONE;
  }
}

/** The place of a value in the list: null and none are at their kind. */
function placeOf(kind: number, word: number): number {
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
