/**
 * A hash of a text in base 36, for names and keys that only have to differ: cyrb53, as Pi shortens names. It is not
 * cryptographic, and much faster than one that is.
 */
export function computeShortHash(text: string): string {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 2_654_435_761);
    high = Math.imul(high ^ unit, 1_597_334_677);
  }
  const mixedLow = mixBits(low, high);
  return (mixBits(high, mixedLow) >>> 0).toString(36) + (mixedLow >>> 0).toString(36);
}

function mixBits(one: number, other: number): number {
  return Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
}
