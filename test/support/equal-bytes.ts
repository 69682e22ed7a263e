import { expect } from 'vitest';
import { once } from '#base/memoize.js';

/** Lets `toEqual` compare bytes at once: by default, it compares each of them as if it were an object of its own. */
export const compareBytesAtOnce = once(() => expect.addEqualityTesters([areEqualBytes]));

function areEqualBytes(one: unknown, other: unknown): boolean | undefined {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return undefined;
  return one.constructor === other.constructor && Buffer.compare(one, other) === 0;
}
