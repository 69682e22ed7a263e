#!/usr/bin/env node
// Runs a command line. The version is printed with nothing else loaded, and an agent waits for as little as possible.
const [first, ...others] = process.argv.slice(2);

if (others.length === 0 && ['--version', '-V', '-v'].includes(first)) printVersion();
else if (first === 'statusline' || (first === 'guard' && others[0] === 'budget')) void runInside();
else void run();

async function run() {
  // Compiled code is not cached: by default, Node.js would load it from a folder that any user of the machine can create.
  const { main } = await import('../dist/cli/main.js');
  await main(process);
  // Everything is written, and to end at once is faster than to take down what has run.
  process.exit();
}

/** Runs a command that an agent waits for. A line that is not plain is one for the whole program. */
async function runInside() {
  const { runInsideAgent } = await import('../dist/cli/inside-agent.js');
  if (await runInsideAgent(process)) process.exit();
  await run();
}

/** Fails with the exit code for output that cannot be written; a reader that has gone is no failure. */
function printVersion() {
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
  } catch (error) {
    process.exitCode = error.code === 'EPIPE' ? 0 : 4;
  }
}
