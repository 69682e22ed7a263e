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

/** What recorded sessions are made of, most of it first. */
const COMMON = 'te \\ns"oairclumdh:p.gu,0/=1()f-2{}5;xy3bC9k46vw78TMS`RAEIP*U+WLNj[B]>FZ_q|DOz\'VHGK&QYJX$?@<!^';
const MOST_SHARE = 90;
const LEAST_SHARE = 0.3;
const SHARES = new Float64Array(128).fill(LEAST_SHARE);
for (let rank = 0; rank < COMMON.length; rank += 1)
  SHARES[COMMON.charCodeAt(rank)] = Math.max(LEAST_SHARE, MOST_SHARE * Math.exp(-rank / 15));
