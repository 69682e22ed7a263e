// How long a start takes, against a bare `node -e 0`: whole processes, interleaved, ratios of medians.
//
//   npm run bench [-- ROUNDS]
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const rounds = Number(process.argv[2] ?? 25);
const root = fileURLToPath(new URL('../..', import.meta.url));
const ctx = ['bin/ctx.js'];
const cases = {
  'node -e 0': ['-e', '0'],
  'ctx --version': [...ctx, '--version'],
  'ctx show, stock session': [...ctx, 'show', 'fixtures/edits.jsonl'],
  'ctx show, session with a transform': [...ctx, 'show', 'fixtures/weather.jsonl'],
};

// Where it is set, Node 20 reads a certificate file at every start.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

function milliseconds(args) {
  const start = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, args] of Object.entries(cases)) {
    const took = milliseconds(args);
    if (round > 0) times[name].push(took);
  }
}

const floor = median(times['node -e 0']);
console.log(`Node ${process.version}, ${rounds} interleaved rounds\n`);
console.log('| command | median ms | ratio to node -e 0 |\n| --- | ---: | ---: |');
for (const [name, values] of Object.entries(times)) {
  console.log(`| ${name} | ${median(values).toFixed(1)} | ${(median(values) / floor).toFixed(2)} |`);
}
