// Runs command lines of the built program one after another, and writes down what became of each of them.
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { asked } = require('./traps.cjs');

const [, , binary, commandLines, answer] = process.argv;
const program = pathToFileURL(path.join(path.dirname(binary), '../dist/cli/main.js'));

async function runAll(all) {
  const { main } = await import(program);
  const runs = [];
  for (const argv of all) {
    asked.length = 0;
    const world = { argv: { value: [process.execPath, binary, ...argv] }, exitCode: { value: 0, writable: true } };
    const run = Object.create(process, world);
    await main(run);
    runs.push({ argv, exitCode: run.exitCode, asked: [...asked] });
  }
  return runs;
}

void runAll(JSON.parse(commandLines)).then((runs) => fs.writeFileSync(answer, JSON.stringify(runs)));
