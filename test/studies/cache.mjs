// What ctx cache says of recorded sessions: against Pi's own rule for a miss, the rule of thumb, and what was really read.
//
//   node build.mjs && node test/studies/cache.mjs DIR [--list]
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } });
const program = fileURLToPath(new URL('../../bin/ctx.js', import.meta.url));

const requests = positionals.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) => requestsOf(join(folder, name))),
);
const billed = requests.filter(({ recorded }) => recorded !== null);

console.log(`${requests.length} requests, ${billed.length} of them billed\n`);
agreement('ctx cache (recorded misses)', (request) => request.break?.recordedMiss === true);
agreement('rule of thumb', (request) => request.naiveMiss);
agreement('foreseen by ctx (bytes, time)', isForeseen);
classes();
errors('expected from the request before', ({ expectedCacheReadEstimated }) => expectedCacheReadEstimated);
errors('common prefix, chars/4', ({ prefixTokensEstimated }) => prefixTokensEstimated);

function requestsOf(file) {
  const text = execFileSync('node', [program, 'cache', file, '--each', '--json'], {
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ schema }) => schema === 'ctx/cache-request')
    .map((request) => ({ ...request, file: basename(file) }));
}

/** What can be said before the provider has answered: another model, other bytes, or too long ago. */
function isForeseen({ break: broken }) {
  return (
    broken !== null && !['thinking level', 'image', 'provider miss', 'unexplained', 'branch'].includes(broken.class)
  );
}

function agreement(name, isMiss) {
  const [ours, pis] = [billed.filter(isMiss), billed.filter(({ piMiss }) => piMiss !== null)];
  const both = ours.filter(({ piMiss }) => piMiss !== null).length;
  const share = (part, whole) => (whole === 0 ? 'none' : `${((part / whole) * 100).toFixed(1)} %`);
  console.log(
    `${name.padEnd(32)} ${ours.length} found, ${both} of Pi's ${pis.length}: precision ${share(both, ours.length)}, recall ${share(both, pis.length)}`,
  );
  if (!values.list) return;
  for (const { file, request, entryId, break: broken, piMiss, recorded } of billed.filter(
    (one) => isMiss(one) !== (one.piMiss !== null),
  ))
    console.log(
      `    ${file} #${request} ${entryId}: Pi ${piMiss?.tokens ?? 'none'}, ${broken?.class ?? 'no break'}, re-billed ${broken?.rebilledTokens ?? 0}, read ${recorded.cacheRead}`,
    );
}

function classes() {
  const counts = new Map();
  for (const { break: broken } of billed) if (broken) counts.set(broken.class, (counts.get(broken.class) ?? 0) + 1);
  console.log(`\n${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
}

function errors(name, predicted) {
  const relative = billed
    .filter((request) => predicted(request) !== null && request.recorded.cacheRead > 0)
    .map((request) => Math.abs(predicted(request) - request.recorded.cacheRead) / request.recorded.cacheRead)
    .toSorted((a, b) => a - b);
  const at = (share) => `${((relative[Math.floor(relative.length * share)] ?? 0) * 100).toFixed(2)} %`;
  console.log(`${name.padEnd(32)} median error ${at(0.5)}, 90 % below ${at(0.9)} (${relative.length} requests)`);
}
