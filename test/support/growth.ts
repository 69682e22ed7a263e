import { expect } from 'vitest';

/** How much larger the large input is. Quadratic work takes 256 times as long for it. */
const TIMES = 16;
/** The growth that fails: as far from linear as from quadratic. */
const MOST = TIMES * Math.sqrt(TIMES);
const TRIES = 8;
/** In milliseconds: below it, what is measured is the cost of a start. */
const FLOOR = 1;

/**
 * Fails if work takes more than linear time. The machine may be busy: other processes make a measure longer, never
 * shorter, so each size keeps its shortest, and one good try is enough.
 * @param prepare makes the input of a size, and returns the work on it, which can be done repeatedly
 * @param size of the small input: so large that quadratic work on 16 times it takes some 100 ms
 */
export async function expectLinearTime(prepare: (size: number) => () => unknown, size: number): Promise<void> {
  const [onFew, onMany] = [prepare(size), prepare(size * TIMES)];
  let [few, many] = [Infinity, Infinity];
  for (let tries = 0; tries < TRIES; tries += 1) {
    for (let runs = 0; runs < 3; runs += 1) few = Math.min(few, await measure(onFew));
    many = Math.min(many, await measure(onMany));
    if (many / Math.max(few, FLOOR) < MOST) return;
  }
  expect.fail(`${TIMES} times the input took ${(many / few).toFixed(0)} times as long: ${few} and ${many} ms`);
}

/** Milliseconds of the processor. */
async function measure(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
