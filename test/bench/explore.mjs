// ctx explore in a real terminal on a tree of 100,000 entries: how long until the first screen, and from each key to
// what the terminal is told. Beside it what `ctx tree --json` takes, which reads the same and shows nothing.
//
//   npm run bench:explore [-- --entries 100000] [--file SESSION]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { kept, table } from './measure.mjs';
import { writeTree } from './tree-file.mjs';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    file: { type: 'string' },
  },
});
const binary = fileURLToPath(new URL('../../bin/ctx.js', import.meta.url));
const entries = Number(values.entries);
const file = values.file ?? kept(`tree-${entries}.jsonl`, (path) => writeTree(path, entries));

/** Milliseconds without a word from the program after which a key is taken to have changed nothing. */
const SILENCE = 500;
/** Milliseconds between a screen and the next key. */
const BETWEEN = 25;

const SIZES = [
  [80, 24],
  [200, 60],
];

const KEYS = [
  ['one line', ['k', 40]],
  ['one screen', ['b', 40]],
  ['to the beginning, to the end', ['gG', 10]],
  ['from turn to turn', ['{', 40]],
  ['tree, log', ['t', 6]],
  ['next filter', ['f', 10]],
];

const floor = timed(() => spawnSync(process.execPath, [binary, 'tree', file, '--json'], { stdio: 'ignore' }));
for (const [columns, lines] of SIZES) {
  const rows = await explored(columns, lines);
  process.stdout.write(`\n${table([`${columns}×${lines}`, 'median ms', '95 % ms', 'worst ms'], rows)}\n`);
}
process.stdout.write(`\nctx tree --json: ${floor.toFixed(0)} ms\n`);

function timed(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function explored(cols, rows) {
  const start = performance.now();
  const program = spawn(process.execPath, [binary, 'explore', file], {
    cols,
    rows,
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  let onData = () => {};
  program.onData((data) => onData(data));
  const first = await new Promise((resolve) => {
    onData = (data) => data.includes('Tree') && resolve(performance.now() - start);
  });
  // What is worked out in the background has come to its end; its progress is shown once a second.
  await quiet((listener) => (onData = listener));
  const found = [['first screen', first.toFixed(0), '', '']];
  for (const [name, [keys, count]] of KEYS) {
    const times = [];
    for (let at = 0; at < count; at += 1) {
      const time = await keyToPaint(program, keys[at % keys.length], (listener) => (onData = listener));
      if (time !== null) times.push(time);
      await new Promise((resolve) => void setTimeout(resolve, BETWEEN));
    }
    times.sort((a, b) => a - b);
    found.push([name, ...[0.5, 0.95, 1].map((share) => times[Math.ceil(times.length * share) - 1].toFixed(0))]);
  }
  program.kill();
  return found;
}

function keyToPaint(program, key, listen) {
  return new Promise((resolve) => {
    const start = performance.now();
    const timer = setTimeout(() => resolve(null), SILENCE);
    listen(() => {
      clearTimeout(timer);
      listen(() => {});
      resolve(performance.now() - start);
    });
    program.write(key);
  });
}

function quiet(listen) {
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, 4 * SILENCE);
    listen(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, 4 * SILENCE);
    });
  });
}
