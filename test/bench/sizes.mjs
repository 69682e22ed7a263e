// ctx against real Pi and against plain JSON.parse on big sessions: whole processes, interleaved, medians.
//
//   npm run bench:sizes [-- --size 10MB,100MB,1GB] [--shape scattered] [--active 0.2] [--rounds 7] [--file FILE]
//
// For the rows of real Pi: cd test/pi && npm ci --force --ignore-scripts
import { copyFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bytesOf, writeBigSession } from './big-session.mjs';
import { compare, excuses, figures, kept, table } from './measure.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values } = parseArgs({
  options: {
    size: text('10MB,100MB,1GB'),
    shape: text('scattered'),
    active: text('0.2'),
    rounds: text('7'),
    file: text(),
  },
});
const { shape, active } = values;
const rounds = Number(values.rounds);
const script = (name) => fileURLToPath(new URL(name, import.meta.url));

function casesOf(file) {
  // Both keep every entry, which is more than Node.js allows by itself when the file is big.
  const roomy = '--max-old-space-size=8192';
  const cases = {
    'node -e 0': ['-e', '0'],
    'real Pi': [roomy, script('pi-load.mjs'), file],
    'real Pi loading': [roomy, script('pi-load.mjs'), file, '--load-only'],
    plain: [roomy, script('plain-load.mjs'), file],
    'ctx show': ['bin/ctx.js', 'show', file],
    'ctx tree --json': ['bin/ctx.js', 'tree', file, '--json'],
    'ctx log -n 20': ['bin/ctx.js', 'log', file, '-n', '20'],
    'ctx check --rules file,tree': ['bin/ctx.js', 'check', file, '--rules', 'file,tree', '--quiet'],
    'ctx check': ['bin/ctx.js', 'check', file, '--quiet'],
  };
  return Object.entries(cases).map(([name, args]) => ({ name, args, reads: [file] }));
}

function bench(title, file) {
  const [node, ...results] = compare(casesOf(file), rounds);
  const [pi, loading] = ['real Pi', 'real Pi loading'].map((name) => results.find((result) => result.name === name));
  const ratio = (whole, part) => (whole.median && part.median ? `${(whole.median / part.median).toFixed(1)}x` : '-');
  const rows = results.map((result) => [result.name, ...figures(result), ratio(pi, result), ratio(loading, result)]);
  console.log(
    `### ${title}: ${(statSync(file).size / 1e6).toFixed(1)} MB; \`node -e 0\` takes ${node.median.toFixed(1)} ms\n`,
  );
  console.log(table(['case', 'median ms', 'peak MB', 'real Pi / this', 'real Pi loading / this'], rows));
  console.log(['', ...excuses(results).map((excuse) => `Skipped: ${excuse}\n`)].join('\n'));
}

console.log(`Node ${process.version}, ${rounds} interleaved rounds\n`);
if (values.file === undefined) {
  for (const size of values.size.split(',')) {
    // A session without a branch is measured without a compaction, so that all of it is context.
    const isLinear = shape === 'linear';
    const options = { size: bytesOf(size), shape, active: Number(active), ...(isLinear ? { compactEvery: 0 } : {}) };
    const name = isLinear ? 'linear, nothing compacted' : `${shape}, ${active} of it active`;
    const file = kept(`${name}, ${size}.jsonl`, (path) => writeBigSession(path, options));
    bench(name, file);
  }
} else {
  // Pi ends a last line that has no end, and the file is not ours.
  const copy = join(tmpdir(), `ctx-bench-${process.pid}.jsonl`);
  copyFileSync(values.file, copy);
  try {
    bench(values.file, copy);
  } finally {
    rmSync(copy);
  }
}
