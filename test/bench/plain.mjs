// The plain way to read sessions: every line through JSON.parse. Prints the recorded dollars of each model.
//
//   node test/bench/plain.mjs FILE|FOLDER [--keep]
//
// With --keep all entries stay in memory, as a program needs them that builds a context.
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// V8 has no longer strings; then there is only the slower way, line by line.
const LONGEST_STRING = 512e6;
const [path, flag] = process.argv.slice(2);
const isKept = flag === '--keep';
const entries = [];
const dollars = {};
for (const file of listFiles(path)) await readLines(file);
console.log(dollars, entries.length);

function listFiles(root) {
  if (statSync(root).isFile()) return [root];
  const names = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => join(root, name));
}

async function readLines(file) {
  if (statSync(file).size < LONGEST_STRING) {
    for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') readLine(line);
    return;
  }
  const input = createReadStream(file, { highWaterMark: 1 << 20 });
  const lines = createInterface({ input }).on('line', readLine);
  await new Promise((resolve) => lines.on('close', resolve));
}

function readLine(line) {
  const entry = JSON.parse(line);
  const { model = 'none', usage } = entry.message ?? entry;
  if (usage) dollars[model] = (dollars[model] ?? 0) + usage.cost.total;
  if (isKept) entries.push(entry);
}
