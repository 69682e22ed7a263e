#!/usr/bin/env node
const [first, ...others] = process.argv.slice(2);
// A version is printed with nothing else loaded.
if (others.length === 0 && (first === '--version' || first === '-V')) require('../dist/cli/version.js').print(process);
// By then all is written, and to end at once is faster than to take down what has run.
else
  void require('./load.js')
    .load()
    .main(process)
    .then(() => process.exit());
