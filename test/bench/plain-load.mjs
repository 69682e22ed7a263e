// The plain way to read a session: every line through JSON.parse, and all of them kept, or with --drop none.
//
//   node test/bench/plain-load.mjs FILE [--drop]
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

// V8 has no longer strings; then there is only the slower way, line by line.
const LONGEST_STRING = 512e6;
const file = process.argv[2];
const isDropped = process.argv[3] === '--drop';
const entries = [];
let count = 0;
if (statSync(file).size < LONGEST_STRING) {
  for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') take(line);
} else {
  const input = createReadStream(file, { highWaterMark: 1 << 20 });
  createInterface({ input }).on('line', take);
}
process.on('exit', () => console.log(count));

function take(line) {
  const entry = JSON.parse(line);
  count += 1;
  if (!isDropped) entries.push(entry);
}
