/** Bytes of a text that stand for it where it is looked for: three, and a fourth one that is null where it may be any. */
export interface Window {
  /** Where they stand in the text. */
  readonly at: number;
  readonly bytes: readonly (number | null)[];
}

/** How many bytes of a window are always known. */
export const KNOWN_BYTES = 3;
const PLACES = [0, 1, 2, 3];

/** The window of a text that sessions have least of. */
export function windowOf(text: string): Window {
  let best = 0;
  let least = Infinity;
  for (let at = 0; at + KNOWN_BYTES <= text.length; at += 1) {
    let share = 1;
    for (const more of PLACES) share *= shareOf(byteAt(text, at + more));
    if (share < least) [best, least] = [at, share];
  }
  return { at: best, bytes: PLACES.map((more) => byteAt(text, best + more)) };
}

function byteAt(text: string, at: number): number | null {
  return at < text.length ? text.charCodeAt(at) : null;
}

/** Of a thousand bytes of a session, about so many are this one; null is any. */
export function shareOf(byte: number | null): number {
  return byte === null ? 1000 : (SHARES[byte] ?? LEAST_SHARE);
}

/** The bytes of recorded sessions, most frequent first. */
const COMMON = 'te \\ns"oairclumdh:p.gu,0/=1()f-2{}5;xy3bC9k46vw78TMS`RAEIP*U+WLNj[B]>FZ_q|DOz\'VHGK&QYJX$?@<!^';
const MOST_SHARE = 90;
const LEAST_SHARE = 0.3;
const SHARES = new Float64Array(128).fill(LEAST_SHARE);
for (let rank = 0; rank < COMMON.length; rank += 1)
  SHARES[COMMON.charCodeAt(rank)] = Math.max(LEAST_SHARE, MOST_SHARE * Math.exp(-rank / 15));

/** Four bytes; null stands for any. */
type Bytes = readonly (number | null)[];

const BYTES = [0, 1, 2, 3];
const GROUPS = 8;
const HALVES = 16;
const ASCII_ROWS = 8;
const ANY = 0xffff;

/** For each of the four bytes of windows, by its lower and by its upper half: the groups that have such a byte, as bits. */
type Halves = readonly { readonly low: Uint8Array; readonly high: Uint8Array }[];

/**
 * Puts windows into eight groups. A place is taken for a window of a group if every half of its bytes is that of some
 * window there, so those that are alike are put together, and those that were put first are put anew.
 */
export function halvesOf(windows: readonly Bytes[]): Halves {
  const groups = Array.from({ length: GROUPS }, () => new Group());
  const different = new Map(windows.map((window) => [window.join(), { window, share: likelihood(window) }]));
  for (const { window } of [...different.values()].toSorted((a, b) => b.share - a.share))
    groups[cheapestFor(window, groups)]?.add(window);
  for (const at of groups.keys()) putAnew(groups, at);
  return BYTES.map((at) => ({
    low: bitsOf(groups.map(({ lows }) => lows[at] ?? 0)),
    high: bitsOf(groups.map(({ highs }) => highs[at] ?? 0)),
  }));
}

/** Puts each window of a group where it costs least now. */
function putAnew(groups: Group[], at: number): void {
  for (const window of groups[at]?.windows ?? []) {
    groups[at] = new Group(groups[at]?.windows.filter((other) => other !== window));
    groups[cheapestFor(window, groups)]?.add(window);
  }
}

function cheapestFor(window: Bytes, groups: readonly Group[]): number {
  let best = 0;
  let least = Infinity;
  for (const [at, group] of groups.entries()) {
    const cost = group.costOf(window);
    if (cost < least) [best, least] = [at, cost];
    // It is as good as in there.
    if (cost === 0) break;
  }
  return best;
}

/** For each half the groups that have it. */
function bitsOf(groups: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: HALVES }, (_, half) =>
    groups.reduce((bits, halves, group) => bits | (((halves >> half) & 1) << group), 0),
  );
}

/** The halves of the bytes of its windows, each a bit of a number. */
class Group {
  readonly lows = [0, 0, 0, 0];
  readonly highs = [0, 0, 0, 0];
  /** How many bytes of a thousand have such halves. */
  private readonly shares = [0, 0, 0, 0];
  private cost = 0;
  readonly windows: Bytes[] = [];

  constructor(windows: readonly Bytes[] = []) {
    if (windows.length === 0) return;
    for (const window of windows) this.take(window);
    for (const at of BYTES) this.shares[at] = shareOfHalves(this.lows[at] ?? 0, this.highs[at] ?? 0);
    this.cost = this.shares.reduce((product, share) => product * share, 1);
  }

  /** How many more places would look like one of the group's if this window was one of them. */
  costOf(window: Bytes): number {
    let product = 1;
    for (const at of BYTES) product *= this.shareWith(window[at] ?? null, at);
    return product - this.cost;
  }

  add(window: Bytes): void {
    this.cost += this.costOf(window);
    for (const at of BYTES) this.shares[at] = this.shareWith(window[at] ?? null, at);
    this.take(window);
  }

  private take(window: Bytes): void {
    this.windows.push(window);
    for (const at of BYTES) {
      const byte = window[at] ?? null;
      this.lows[at] = byte === null ? ANY : (this.lows[at] ?? 0) | (1 << (byte & 15));
      this.highs[at] = byte === null ? ANY : (this.highs[at] ?? 0) | (1 << (byte >> 4));
    }
  }

  /** Adds the bytes that another half brings. */
  private shareWith(byte: number | null, at: number): number {
    if (byte === null) return shareOf(null);
    const [lows = 0, highs = 0] = [this.lows[at], this.highs[at]];
    const [low, high] = [byte & 15, byte >> 4];
    let share = this.shares[at] ?? 0;
    if (((lows >> low) & 1) === 0)
      for (let other = 0; other < ASCII_ROWS; other += 1)
        if ((highs >> other) & 1) share += shareOf((other << 4) | low);
    if (((highs >> high) & 1) === 0)
      for (let other = 0; other < HALVES; other += 1)
        if (((lows >> other) & 1) === 1 || other === low) share += shareOf((high << 4) | other);
    return share;
  }
}

/** Of a thousand bytes so many have such halves. */
function shareOfHalves(lows: number, highs: number): number {
  if (lows === ANY && highs === ANY) return shareOf(null);
  let share = 0;
  for (let byte = 0; byte < ASCII_ROWS * HALVES; byte += 1)
    if ((lows >> (byte & 15)) & (highs >> (byte >> 4)) & 1) share += shareOf(byte);
  return share;
}

function likelihood(window: Bytes): number {
  return window.reduce<number>((product, byte) => product * shareOf(byte), 1);
}
