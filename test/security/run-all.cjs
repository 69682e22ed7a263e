// Runs command lines of the built program one after another, and writes down what became of each of them. A line `cd`
// goes to another folder. The lines are an argument, or a file after `@`.
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
    if (argv[0] === 'cd') {
      process.chdir(argv[1]);
      continue;
    }
    asked.length = 0;
    const world = { argv: { value: [process.execPath, binary, ...argv] }, exitCode: { value: 0, writable: true } };
    const run = Object.create(process, world);
    await main(run);
    runs.push({ argv, exitCode: run.exitCode, asked: [...asked] });
  }
  return runs;
}

const list = commandLines.startsWith('@') ? fs.readFileSync(commandLines.slice(1), 'utf8') : commandLines;
void runAll(JSON.parse(list)).then((runs) => fs.writeFileSync(answer, JSON.stringify(runs)));
