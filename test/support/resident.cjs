// Runs command lines of the built program one after another in this process. The parent sends them as lists of words.
const path = require('node:path');
const bin = path.join(__dirname, '../../bin/ctx.js');
const chance = require.resolve('./fixed-chance.cjs');

process.on('message', async (words) => {
  // New ids begin with the first again, as in a process of its own.
  delete require.cache[chance];
  require(chance);
  process.argv = [process.execPath, bin, ...words];
  const { main } = await import('../../dist/cli/main.js');
  await main(process);
  process.send(process.exitCode);
});
