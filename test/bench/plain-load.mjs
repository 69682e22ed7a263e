// The plain way to read a session: every line through JSON.parse, and all of them kept.
//
//   node test/bench/plain-load.mjs FILE
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

// V8 has no longer strings; then there is only the slower way, line by line.
const LONGEST_STRING = 512e6;
const file = process.argv[2];
const entries = [];
if (statSync(file).size < LONGEST_STRING) {
  for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') entries.push(JSON.parse(line));
} else {
  const input = createReadStream(file, { highWaterMark: 1 << 20 });
  createInterface({ input }).on('line', (line) => entries.push(JSON.parse(line)));
}
process.on('exit', () => console.log(entries.length));
