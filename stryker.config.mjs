/**
 * Mutation testing of one folder: `npm run mutation -- --mutate 'src/diff/*.ts'` with `CTX_TESTS='test/diff/*.test.ts'`,
 * the tests that are to find the mutants. See docs/testing.md.
 */
process.env.CTX_QUICK ??= '1';

export default {
  testRunner: 'vitest',
  vitest: { related: false },
  // They would take a start of all tests each.
  ignoreStatic: true,
  disableTypeChecks: true,
  concurrency: 2,
  // What goes on for ever is found by counting; the rest may be slow on a busy machine.
  timeoutMS: 60_000,
  reporters: ['progress', 'clear-text', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  tempDirName: 'coverage/stryker',
  htmlReporter: { fileName: 'coverage/mutation.html' },
};
