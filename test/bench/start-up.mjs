// How long a start takes, against a bare `node -e 0`: whole processes, interleaved, ratios of medians.
//
//   npm run bench:start [-- ROUNDS]
import { compare, table } from './measure.mjs';

const rounds = Number(process.argv[2] ?? 25);
const ctx = ['bin/ctx.js'];
const results = compare(
  [
    { name: 'node -e 0', args: ['-e', '0'] },
    { name: 'ctx --version', args: [...ctx, '--version'] },
    { name: 'ctx show, stock session', args: [...ctx, 'show', 'fixtures/edits.jsonl'] },
    { name: 'ctx show, session with a transform', args: [...ctx, 'show', 'fixtures/weather.jsonl'] },
  ],
  rounds,
);

const [floor] = results;
const rows = results.map(({ name, median }) => [name, median.toFixed(1), (median / floor.median).toFixed(2)]);
console.log(`Node ${process.version}, ${rounds} interleaved rounds\n`);
console.log(table(['command', 'median ms', 'ratio to node -e 0'], rows));
