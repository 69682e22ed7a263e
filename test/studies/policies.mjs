import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
// Engines and policies on recorded sessions: the table and the plot of docs/lab/simulation.md.
//
//   node build.mjs && node test/studies/policies.mjs FILE… [--limit 200k] [--plot docs/plots/policies.svg]
//
// Each run is `ctx simulate` with the cache misses that the sessions record. The plot shows the largest session.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: 'string', default: '200k' }, plot: { type: 'string' } },
});
const bin = fileURLToPath(new URL('../../bin/ctx.js', import.meta.url));
const MOST_BYTES = 2 ** 28;

function simulated(flags) {
  const args = ['simulate', ...positionals, '--limit', values.limit, '--recorded-misses', '--full', '--json', ...flags];
  // The exit code is 1 where a file cannot be read.
  const { stdout } = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', maxBuffer: MOST_BYTES });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ engines }) => engines);
}

const engines = ['pi', 'three-phase', 'none'].flatMap((name) => ['--engine', name]);
const named = simulated(engines).map((line) => ({ ...line, policy: '' }));
const byPolicy = ['shorten', 'turns', 'context-manager'].flatMap((policy) =>
  simulated(['--engine', 'turn-prune', '--policy', policy]).map((line) => ({ ...line, policy })),
);

/** The numbers of each engine and policy, a list over all sessions. */
const all = new Map();
for (const { schema, engines: each, policy } of [...named, ...byPolicy]) {
  if (schema !== 'ctx/simulation') continue;
  for (const engine of each) {
    if (policy !== '' && engine.name === 'recorded') continue;
    const name = policy === '' ? engine.name : `${engine.name}, ${policy}`;
    all.set(name, [...(all.get(name) ?? []), engine]);
  }
}
const rows = [...all].map(([name, sessions]) => ({ name, sessions }));

const sum = (list, of) => list.reduce((total, each) => total + of(each), 0);
const share = (part, whole) => `${((part / whole) * 100).toFixed(0)} %`;
const millions = (tokens) => `${(tokens / 1e6).toFixed(1)}M`;
console.log(
  '| Engine | Requests | Peak | Input | from the cache | Cost | Compactions, prunes | Results lost | Repeated | Over budget |',
);
console.log('| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |');
for (const { name, sessions } of rows) {
  const shrinks = sessions.flatMap((each) => each.shrinks);
  const compactions = shrinks.filter(({ kind }) => kind === 'compaction').length;
  const input = sum(sessions, (each) => each.inputTokens);
  const cells = [
    `\`${name}\``,
    sum(sessions, ({ requests }) => requests),
    `${Math.round(Math.max(...sessions.map(({ peakTokens }) => peakTokens)) / 1000)}k`,
    millions(input),
    share(
      sum(sessions, (each) => each.cachedTokens),
      input,
    ),
    `$${sum(sessions, (each) => each.totalCost ?? 0).toFixed(2)}`,
    `${compactions}, ${shrinks.length - compactions}`,
    sum(sessions, (each) => each.lost.results),
    sum(sessions, (each) => each.rereads.length),
    sum(sessions, (each) => each.overflowed.length),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

if (values.plot !== undefined) writeFileSync(values.plot, plotOf(rows.filter(({ name }) => name !== 'none')));

/** The size of each request of the longest session, a line for each engine. */
function plotOf(drawn) {
  const [width, height, left, bottom] = [760, 340, 60, 40];
  const longest = drawn[0].sessions.reduce(
    (at, each, nth) => (each.series.tokens.length > drawn[0].sessions[at].series.tokens.length ? nth : at),
    0,
  );
  const series = drawn.map(({ name, sessions }) => ({ name, tokens: sessions[longest].series.tokens }));
  const most = Math.max(...series.flatMap(({ tokens }) => tokens));
  const count = Math.max(...series.map(({ tokens }) => tokens.length));
  const x = (nth) => (left + ((width - left - 10) * nth) / Math.max(1, count - 1)).toFixed(1);
  const y = (tokens) => (height - bottom - ((height - bottom - 10) * tokens) / most).toFixed(1);
  const colours = ['#6e7781', '#0969da', '#8250df', '#bf8700', '#1a7f37', '#cf222e'];
  const grid = [0, 50_000, 100_000, 150_000].filter((tokens) => tokens <= most);
  const lines = series.map(({ tokens }, at) => {
    const points = tokens.map((each, nth) => `${x(nth)},${y(each)}`).join(' ');
    return `<polyline fill="none" stroke="${colours[at % colours.length]}" stroke-width="1.5" points="${points}"/>`;
  });
  const names = series.map(({ name }, at) => {
    const top = height + 16 + 18 * Math.floor(at / 3);
    const start = left + (at % 3) * 230;
    return `<rect x="${start}" y="${top - 9}" width="18" height="4" fill="${colours[at % colours.length]}"/><text x="${start + 24}" y="${top - 3}">${name}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + 50}" font-family="sans-serif" font-size="12" role="img" aria-label="Tokens of each request, by engine">`,
    `<rect width="${width}" height="${height + 50}" fill="#ffffff"/>`,
    ...grid.map(
      (tokens) =>
        `<line x1="${left}" x2="${width - 10}" y1="${y(tokens)}" y2="${y(tokens)}" stroke="#d0d7de"/><text x="${left - 8}" y="${y(tokens)}" text-anchor="end" dominant-baseline="middle">${tokens / 1000}k</text>`,
    ),
    ...lines,
    `<text x="${left}" y="${height - bottom + 22}">request 1</text><text x="${width - 10}" y="${height - bottom + 22}" text-anchor="end">request ${count}</text>`,
    ...names,
    '</svg>\n',
  ].join('\n');
}
