// The plain way to read many sessions: every line of every file through JSON.parse, one after the other.
//
//   node test/bench/plain-lines.mjs FOLDER
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
let entries = 0;
for (const name of readdirSync(folder, { recursive: true })) {
  if (!name.endsWith('.jsonl')) continue;
  for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
    if (line === '') continue;
    JSON.parse(line);
    entries += 1;
  }
}
console.log(entries);
