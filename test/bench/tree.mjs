// What lists a tree of 100,000 entries, against a bare `node -e 0`.
//
//   npm run bench:tree [-- --entries 100000] [--rounds 11]
import { parseArgs } from 'node:util';
import { compare, figures, kept, table } from './measure.mjs';
import { writeTree } from './tree-file.mjs';

const { values } = parseArgs({
  options: { entries: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '11' } },
});
const file = kept(`tree-${values.entries}.jsonl`, (path) => writeTree(path, Number(values.entries)));

const lists = [
  ['tree'],
  ['tree', '--filter', 'all'],
  ['tree', '--json'],
  ['log', '--graph'],
  ['log', '--graph', '--oneline'],
];
const results = compare(
  [
    { name: 'node -e 0', args: ['-e', '0'] },
    ...lists.map((args) => ({ name: `ctx ${args.join(' ')}`, args: ['bin/ctx.js', ...args, file], reads: [file] })),
  ],
  Number(values.rounds),
);
console.log(`Node ${process.version}, ${values.rounds} interleaved rounds\n`);
console.log(
  table(
    ['command', 'median ms', 'peak MB'],
    results.map((result) => [result.name, ...figures(result)]),
  ),
);
