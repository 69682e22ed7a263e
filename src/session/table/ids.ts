import type { RawId } from './head.js';
import { HexTable, type KeysInRows } from './hex-table.js';

export const NONE = -1;

/** How an id is kept: those that Pi makes as their eight hex digits, strange ones by their place in a list. */
export const KIND = { none: 0, null: 1, digits: 2, strange: 3 } as const;

export interface KeptId {
  readonly kind: number;
  readonly word: number;
}

/** Which entry each id of a session leads to: of several with one id, the last. Entries are meant by their index. */
export class Ids {
  private readonly entries: HexTable;
  /** Every other value, these two at their kind. */
  private readonly values: RawId[] = [undefined, null];
  private readonly places = new Map<RawId, number>([
    [undefined, KIND.none],
    [null, KIND.null],
  ]);
  private readonly entriesOfValues: number[] = [NONE, NONE];
  private hasRepeats = false;

  /** `room`: how many ids there will likely be. */
  constructor(room: number) {
    // It is used all over, so too much room would cost memory.
    this.entries = new HexTable(Math.ceil(room / 2));
  }

  /** Every id leads to the one entry that has it. */
  get areUnique(): boolean {
    return !this.hasRepeats;
  }

  keep(id: RawId): KeptId {
    const digits = hexDigits(id);
    if (digits !== null) return { kind: KIND.digits, word: digits };
    const known = this.places.get(id);
    const place = known ?? this.values.push(id) - 1;
    if (known === undefined) this.places.set(id, place);
    return { kind: place > KIND.null ? KIND.strange : place, word: place };
  }

  value(kind: number, word: number): RawId {
    return kind === KIND.digits ? hexText(word) : this.values[kind === KIND.strange ? word : kind];
  }

  /** Says that an id leads to an entry from now on. */
  lead(kind: number, word: number, index: number): void {
    if (kind === KIND.digits) {
      if (this.entries.set(word, index)) this.hasRepeats = true;
      return;
    }
    const place = kind === KIND.strange ? word : kind;
    if ((this.entriesOfValues[place] ?? NONE) !== NONE) this.hasRepeats = true;
    this.entriesOfValues[place] = index;
  }

  /** The same for many ids of eight hex digits, which lead to one entry after another. */
  leadAll(words: Uint32Array, place: KeysInRows): void {
    if (this.entries.setAll(words, place)) this.hasRepeats = true;
  }

  /** The entry that an id leads to, NONE where there is none. */
  entryOf(kind: number, word: number): number {
    if (kind === KIND.digits) return this.entries.get(word) ?? NONE;
    return this.entriesOfValues[kind === KIND.strange ? word : kind] ?? NONE;
  }

  find(id: RawId): number {
    const digits = hexDigits(id);
    if (digits !== null) return this.entryOf(KIND.digits, digits);
    return this.entriesOfValues[this.places.get(id) ?? NONE] ?? NONE;
  }
}

const HEX_DIGITS = 8;

/** The value of an id of the form that Pi makes, eight hex digits in lower case. */
function hexDigits(id: RawId): number | null {
  const isHex = typeof id === 'string' && id.length === HEX_DIGITS && /^[0-9a-f]{8}$/.test(id);
  return isHex ? Number.parseInt(id, 16) : null;
}

/** The eight hex digits of a number. By bytes, since a number of 32 bits is slow to write in another base. */
function hexText(digits: number): string {
  return `${hexOf(digits >>> 24)}${hexOf(digits >>> 16)}${hexOf(digits >>> 8)}${hexOf(digits)}`;
}

function hexOf(byte: number): string {
  return BYTES[byte & 0xff] ?? '';
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
