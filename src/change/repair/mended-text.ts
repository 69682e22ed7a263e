import type { Flaw } from '../bytes/flaws.js';

/** A part of a value with what has to be mended in it. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly flaws: readonly Flaw[];
}

/** The text of a part without its flaws. */
export function mendedText(bytes: Uint8Array, { start, end, flaws }: Part): string {
  const texts: string[] = [];
  let from = start;
  for (const { at, length, text } of flaws) {
    if (at >= end) break;
    texts.push(decoder.decode(bytes.subarray(from, at)), text);
    from = at + length;
  }
  texts.push(decoder.decode(bytes.subarray(from, end)));
  return texts.join('');
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** undefined for what is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
