import type { Text } from './data.js';

/**
 * How long no text may be so that all together fit into `most`: the longest are cut first, and all to the same length.
 * Infinity where all of them fit.
 */
export function longestThatFits(lengths: Float64Array, most: number): number {
  const ascending = lengths.toSorted();
  let left = most;
  for (let at = 0; at < ascending.length; at += 1) {
    const share = left / (ascending.length - at);
    const length = ascending[at] ?? 0;
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Infinity;
}

/** A text that takes at most `most` bytes; where it is cut, with the length that it had. */
export function limited(text: string, most: number): Text {
  // No text has more bytes than this.
  if (text.length * 3 <= most) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return text;
  const units = Math.floor((most / bytes) * text.length);
  return [text.slice(0, units).replace(/[\ud800-\udbff]$/, ''), text.length];
}
