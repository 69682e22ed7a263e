// How long questions about a folder of many sessions take, the first time and again, beside parsing every line.
//
//   npm run bench:fleet [-- --count 2000] [--median 200KB] [--rounds 3] [--only stats] [--ccusage PROGRAM]
//
// ripgrep is compared with where it is installed, and ccusage (of npm) where it is named.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bytesOf, writeBigSession } from './big-session.mjs';
import { MadeUp } from './made-up.mjs';
import { compare, excuses, figures, kept, table } from './measure.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values } = parseArgs({
  options: { count: text('2000'), median: text('200KB'), rounds: text('3'), only: text(''), ccusage: text('ccusage') },
});
const [count, rounds] = [Number(values.count), Number(values.rounds)];

const FOLDERS = ['weather', 'forecast', 'notes', 'site', 'bot', 'maps', 'tides'].map((name) => `/home/ada/${name}`);
/** The spread of the natural logarithm of the sizes: one session in twenty is about twelve times the median. */
const SPREAD = 1.5;
const [LEAST, MOST] = [2e4, 2e7];
/** The number of sessions that are generated; the others are copies of them with another header, which is far quicker. */
const BODIES = 200;

/** A number with a normal distribution. */
function normal(dice) {
  const share = () => (parseInt(dice.hex(8), 16) + 1) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(share())) * Math.cos(2 * Math.PI * share());
}

function writeFleet(folder) {
  const dice = new MadeUp(7);
  const bodies = [];
  for (let index = 0; index < count; index += 1) {
    const cwd = FOLDERS[index % FOLDERS.length];
    const timestamp = new Date(Date.parse('2026-03-02T09:00:00.000Z') + index * 3_600_000).toISOString();
    const id = `019cad3e-0000-7000-8000-${String(index).padStart(12, '0')}`;
    const project = join(folder, `--${cwd.slice(1).replaceAll('/', '-')}--`);
    const file = join(project, `${timestamp.replaceAll(/[:.]/g, '-')}_${id}.jsonl`);
    const header = { id, timestamp, cwd };
    mkdirSync(project, { recursive: true });
    if (index < BODIES) {
      const size = Math.min(MOST, Math.max(LEAST, bytesOf(values.median) * Math.exp(SPREAD * normal(dice))));
      writeBigSession(file, { size, seed: index + 1, header });
      const written = readFileSync(file);
      bodies.push(written.subarray(written.indexOf('\n') + 1));
    } else {
      const line = JSON.stringify({ type: 'session', version: 3, ...header });
      writeFileSync(file, Buffer.concat([Buffer.from(`${line}\n`), bodies[index % BODIES]]));
    }
  }
}

const folder = kept(`fleet-${values.count}-${values.median}`, writeFleet);
const reads = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const bytes = reads.reduce((sum, file) => sum + readFileSync(file).length, 0);

/** Whether `--only` is empty, or some whole words of a name. */
const isAsked = ({ name }) => ` ${name.replace(',', '')} `.includes(values.only && ` ${values.only} `);
const questions = [
  { name: 'ls', args: ['ls', folder] },
  { name: 'stats --by model', args: ['stats', folder, '--by', 'model'] },
  { name: 'stats', args: ['stats', folder] },
  { name: 'check', args: ['check', folder] },
  { name: 'grep', args: ['grep', 'deadlock', folder] },
  { name: 'query cost', args: ['query', 'SELECT model, sum(cost_recorded) FROM usage GROUP BY 1', folder] },
  { name: 'query tools', args: ['query', 'SELECT tool_name, count(*) FROM tool_calls GROUP BY 1', folder] },
  {
    name: 'query errors',
    args: ['query', 'SELECT tool_name, count(*) FROM tool_calls WHERE is_error GROUP BY 1', folder],
  },
].filter(isAsked);
// The first rounds have no index; the others find the one of the round before.
const index = mkdtempSync(join(tmpdir(), 'ctx-index-'));
const cases = questions.flatMap(({ name, args }) => [
  { name, args: ['bin/ctx.js', ...args], reads, env: { CTX_INDEX_DIR: '' } },
  { name: `${name}, again`, args: ['bin/ctx.js', ...args], reads, env: { CTX_INDEX_DIR: index } },
]);
const plain = { name: 'JSON.parse of every line', args: ['test/bench/plain-lines.mjs', folder], reads };
const peers = ['cost', 'tools', 'errors']
  .filter((name) => isAsked({ name: `query ${name}` }))
  .map((name) => ({ name: `DuckDB read_json, ${name}`, args: ['test/bench/duckdb-lines.mjs', folder, name], reads }));
const others = [
  {
    name: 'ccusage, stats',
    program: values.ccusage,
    args: ['pi', 'session', '--json', '--offline', '--pi-path', folder],
  },
  { name: 'ripgrep, grep', program: 'rg', args: ['deadlock', folder] },
]
  .filter(isAsked)
  .map((other) => ({ ...other, reads }));
const dataset = join(index, 'dataset');
const parquet = ['bin/ctx.js', 'export', folder, '--format', 'parquet', '-o'];
const exports = [
  { name: 'export to tables', args: [...parquet, join(index, 'tables'), '--force'], reads },
  { name: 'export to a dataset, again', args: [...parquet, dataset, '--partition', 'day'], reads },
].filter(isAsked);
const results = compare([plain, ...others, ...peers, ...cases, ...exports], rounds, { isProcessorTimed: true });
rmSync(index, { recursive: true, force: true });
const [{ processor: parsing }] = results;
const rows = results
  .filter(({ skipped }) => skipped === undefined)
  .map((result) => [
    result.name,
    (result.processor / 1e3).toFixed(2),
    (parsing / result.processor).toFixed(1),
    (result.median / 1e3).toFixed(2),
    result.peak === undefined ? '' : figures(result)[1],
  ]);
console.log(
  `Node ${process.version}, ${rounds} interleaved rounds, ${reads.length} sessions, ${(bytes / 1e9).toFixed(2)} GB\n`,
);
for (const excuse of excuses(results)) console.log(`${excuse}\n`);
console.log(table(['case', 'processor s', '× as fast as parsing', 'wall s', 'peak MB'], rows));
