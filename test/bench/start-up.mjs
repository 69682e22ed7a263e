// How long a start takes, against a bare `node -e 0`: whole processes, interleaved, ratios of medians.
//
//   npm run bench:start [-- --node PATH --rounds N]
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { compare, table } from './measure.mjs';

const { values } = parseArgs({
  options: { node: { type: 'string', default: process.execPath }, rounds: { type: 'string', default: '25' } },
});
const { node } = values;
const rounds = Number(values.rounds);
const ctx = ['bin/ctx.js'];
const results = compare(
  [
    { name: 'node -e 0', args: ['-e', '0'] },
    { name: 'ctx --version', args: [...ctx, '--version'] },
    { name: 'ctx show, stock session', args: [...ctx, 'show', 'fixtures/edits.jsonl'] },
    { name: 'ctx show, session with a transform', args: [...ctx, 'show', 'fixtures/weather.jsonl'] },
  ],
  rounds,
  { node },
);

const [floor] = results;
const rows = results.map(({ name, median }) => [name, median.toFixed(1), (median / floor.median).toFixed(2)]);
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
console.log(`Node ${version}, ${rounds} interleaved rounds\n`);
console.log(table(['command', 'median ms', 'ratio to node -e 0'], rows));
