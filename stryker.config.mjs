/**
 * Mutation testing: `npm run mutation -- --mutate 'src/analysis/diff/*.ts'` with `CTX_TESTS='test/analysis/diff/*.test.ts'`, the tests that
 * are to find the mutants, and `CTX_SAMPLE=0.1` for a tenth of them by chance, `CTX_SAMPLE_SEED=2` for another one. See
 * docs/contributing/testing.md.
 */
import { createHash } from 'node:crypto';
import { Instrumenter } from '@stryker-mutator/instrumenter';

const { CTX_SAMPLE: share = '1', CTX_SAMPLE_SEED: seed = '1' } = process.env;

/** A number from 0 to 1 that is always the same for a mutant. */
function chance({ fileName, location, replacement }) {
  const mutant = JSON.stringify([seed, fileName.slice(process.cwd().length), location, replacement]);
  return createHash('sha256').update(mutant).digest().readUInt32BE() / 2 ** 32;
}

const instrument = Instrumenter.prototype.instrument;
/** Stryker has no option for a sample, but leaves out what is said to be left out. */
Instrumenter.prototype.instrument = async function sampled(...given) {
  const result = await instrument.apply(this, given);
  const leftOut = { status: 'Ignored', statusReason: 'not in the sample' };
  const mutants = result.mutants.map((mutant) => (chance(mutant) < Number(share) ? mutant : { ...mutant, ...leftOut }));
  return { ...result, mutants };
};

export default {
  testRunner: 'vitest',
  vitest: { related: false },
  // They would take a start of all tests each.
  ignoreStatic: true,
  disableTypeChecks: true,
  concurrency: 2,
  // What goes on for ever is found by counting; the rest may be slow on a busy machine.
  timeoutMS: 30_000,
  reporters: ['clear-text', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  tempDirName: 'coverage/stryker',
  ignorePatterns: ['coverage'],
  htmlReporter: { fileName: 'coverage/mutation.html' },
};
