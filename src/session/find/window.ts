/** The bytes of a text that the search looks for: three, and a fourth one that is null if it may be any byte. */
export interface Window {
  /** Their position in the text. */
  readonly at: number;
  readonly bytes: readonly (number | null)[];
}

/** The number of known bytes in every window. */
export const KNOWN_BYTES = 3;
const PLACES = [0, 1, 2, 3];

/** All windows of a text. */
export function listWindows(text: string): readonly Window[] {
  return Array.from({ length: Math.max(0, text.length - KNOWN_BYTES + 1) }, (_, at) => ({
    at,
    bytes: PLACES.map((more) => findByteOfText(text, at + more)),
  }));
}

function findByteOfText(text: string, at: number): number | null {
  return at < text.length ? text.charCodeAt(at) : null;
}

/** The frequency of a byte per thousand bytes of a session; null is any byte. */
export function toShare(byte: number | null): number {
  return byte === null ? 1000 : (SHARES[byte] ?? LEAST_SHARE);
}

/** The bytes of recorded sessions, most frequent first. */
const COMMON = 'te \\ns"oairclumdh:p.gu,0/=1()f-2{}5;xy3bC9k46vw78TMS`RAEIP*U+WLNj[B]>FZ_q|DOz\'VHGK&QYJX$?@<!^';
const MOST_SHARE = 90;
const LEAST_SHARE = 0.3;
const SHARES = new Float64Array(128).fill(LEAST_SHARE);
for (let rank = 0; rank < COMMON.length; rank += 1)
  SHARES[COMMON.charCodeAt(rank)] = Math.max(LEAST_SHARE, MOST_SHARE * Math.exp(-rank / 15));

/** Four bytes; null matches any byte. */
type Bytes = readonly (number | null)[];

/** The places of the bytes of a window. */
const BYTES = [0, 1, 2, 3];
/** Each is a bit of a byte in the tables. */
const GROUPS = 8;
/** The values that half of a byte can have, and those of the upper half of an ASCII character. */
const HALVES = 16;
const ASCII_ROWS = 8;
/** The bits of all halves. */
const ANY = 0xffff;

/**
 * The groups that have a byte, as bits. One pair of tables for each of the four bytes of a window, by the lower and the
 * upper half of the byte.
 */
type Halves = readonly { readonly low: Uint8Array; readonly high: Uint8Array }[];

/** A window for each text, and the tables of their groups. */
interface WindowChoice {
  readonly windows: readonly Window[];
  readonly halves: Halves;
}

/**
 * Chooses a window for each text, and puts it into one of eight groups. A place matches a group if every half of its
 * bytes is that of some window of the group. So each text gets the window and the group that add the fewest places, and
 * texts with few windows come first. `choices`: the windows of each text, one at least.
 */
export function chooseWindows(choices: readonly (readonly Window[])[]): WindowChoice {
  const groups = Array.from({ length: GROUPS }, () => new Group());
  const windows: Window[] = [];
  const shares = choices.map((all) => Math.min(...all.map(({ bytes }) => measureLikelihood(bytes))));
  const order = [...choices.entries()].toSorted(
    ([one, a], [other, b]) => a.length - b.length || (shares[other] ?? 0) - (shares[one] ?? 0),
  );
  for (const [at, all] of order) windows[at] = addCheapest(all, groups);
  const halves = BYTES.map((at) => ({
    low: toBits(groups.map(({ lows }) => lows[at] ?? 0)),
    high: toBits(groups.map(({ highs }) => highs[at] ?? 0)),
  }));
  return { windows, halves };
}

/** Adds the window that costs the least to its group. There is at least one of both. */
function addCheapest(windows: readonly Window[], groups: readonly Group[]): Window {
  let best = { window: windows[0] as Window, group: groups[0] as Group, cost: Infinity };
  for (const window of windows) {
    for (const group of groups) {
      const cost = group.costOf(window.bytes);
      if (cost < best.cost) best = { window, group, cost };
    }
  }
  best.group.add(best.window.bytes);
  return best.window;
}

/** The groups with each half. */
function toBits(groups: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: HALVES }, (_, half) =>
    groups.reduce((bits, halves, group) => bits | (((halves >> half) & 1) << group), 0),
  );
}

/** The halves of the bytes of its windows, each a bit of a number. */
class Group {
  readonly lows = [0, 0, 0, 0];
  readonly highs = [0, 0, 0, 0];
  /** The frequency of such halves per thousand bytes. */
  private readonly shares = [0, 0, 0, 0];
  private cost = 0;

  /** The number of additional places per thousand that match the group with this window. */
  costOf(window: Bytes): number {
    let product = 1;
    for (const at of BYTES) product *= this.shareWith(window[at] ?? null, at);
    return product - this.cost;
  }

  add(window: Bytes): void {
    this.cost += this.costOf(window);
    for (const at of BYTES) this.shares[at] = this.shareWith(window[at] ?? null, at);
    for (const at of BYTES) {
      const byte = window[at] ?? null;
      this.lows[at] = byte === null ? ANY : (this.lows[at] ?? 0) | (1 << (byte & 15));
      this.highs[at] = byte === null ? ANY : (this.highs[at] ?? 0) | (1 << (byte >> 4));
    }
  }

  /**
   * The share of a place once a byte is added: that of all bytes whose lower half and upper half are both of its windows.
   */
  private shareWith(byte: number | null, at: number): number {
    if (byte === null) return toShare(null);
    const lows = this.lows[at] ?? 0;
    const highs = this.highs[at] ?? 0;
    const low = byte & 15;
    const high = byte >> 4;
    let share = this.shares[at] ?? 0;
    if (!hasBit(lows, low)) {
      for (let other = 0; other < ASCII_ROWS; other += 1) {
        if (hasBit(highs, other)) share += toShare((other << 4) | low);
      }
    }
    if (!hasBit(highs, high)) {
      for (let other = 0; other < HALVES; other += 1) {
        if (hasBit(lows, other) || other === low) share += toShare((high << 4) | other);
      }
    }
    return share;
  }
}

function hasBit(bits: number, bit: number): boolean {
  return ((bits >> bit) & 1) === 1;
}

/** The frequency of a window, in a unit that only comparisons need. */
function measureLikelihood(window: Bytes): number {
  return window.reduce<number>((product, byte) => product * toShare(byte), 1);
}
