import { expect, it } from 'vitest';
import { Random } from '../../support/random.js';
import { isWhole } from '../../support/runs.js';
import { Soak } from './soak.js';

/** `npm run soak` asks for 10,000, by another seed each time. */
const STEPS = Number(process.env['CTX_SOAK_STEPS'] ?? (isWhole ? 200 : 100));
const SEED = Number(process.env['SOAK_SEED'] ?? 7);
const MILLISECONDS_OF_A_STEP = 1000;

it(
  `a session that is written to ${STEPS} times in any order keeps all laws`,
  async () => {
    const soak = new Soak(new Random(SEED), SEED);
    for (let step = 0; step < STEPS; step += 1) await soak.step();
    if (STEPS > 1000) console.log(JSON.stringify(soak.tally));
    for (const [action, { done }] of Object.entries(soak.tally))
      expect([action, done > STEPS / 200]).toEqual([action, true]);
    expect(soak.anew).toBeLessThan(STEPS / 100);
  },
  STEPS * MILLISECONDS_OF_A_STEP,
);
