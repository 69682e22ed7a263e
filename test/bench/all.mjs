// ctx beside the programs that do the same job, and beside an older ctx: sessions of 1 MB to 1 GB, folders of 200 and
// 2,000. All programs of a job run in turns, so that a busy moment of the machine hits each; quoted are medians of the
// ratios of processor time in each turn. Results are kept in the temporary folder, so that sizes can be measured one at a time; delete
// `ctx-bench/all.json` there after a change of ctx. With --write the tables replace those of docs/lab/speed.md.
//
//   npm run bench:all -- [--before FOLDER] [--only SIZE,…] [--job NAME,…] [--rounds N] [--shape scattered] [--write]
//
// FOLDER is a clone of another commit, built with `npm ci`. For the other programs:
//   (cd test/pi && npm ci --force --ignore-scripts)
//   (cd test/bench/peers && npm install --no-package-lock --ignore-scripts)
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keepManySessions, keepOneSession } from './many-sessions.mjs';
import { compare, excuses, medianRatio, table } from './measure.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values } = parseArgs({
  options: {
    before: text(''),
    only: text(''),
    job: text(''),
    rounds: text(''),
    shape: text('scattered'),
    write: { type: 'boolean', default: false },
  },
});

/** What is measured, with the number of turns. A single session has a size, a folder a number of sessions. */
const SIZES = [
  { name: '1 MB', size: '1MB', rounds: 5 },
  { name: '10 MB', size: '10MB', rounds: 5 },
  { name: '100 MB', size: '100MB', rounds: 3 },
  { name: '1 GB', size: '1GB', rounds: 2, isWarm: true },
  { name: '200 sessions', count: 200, rounds: 3 },
  { name: '2,000 sessions', count: 2000, rounds: 1, isWarm: true },
];

const page = fileURLToPath(new URL('../../docs/lab/speed.md', import.meta.url));
const peers = fileURLToPath(new URL('peers/node_modules', import.meta.url));
const ripgrep = join(peers, `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
const ccusage = join(peers, `@ccusage/ccusage-${process.platform}-${process.arch}/bin/ccusage`);
const output = mkdtempSync(join(tmpdir(), 'ctx-all-'));
// npm leaves it so where install scripts are switched off.
if (existsSync(ccusage)) chmodSync(ccusage, 0o755);
// Keeps every entry, which is more than Node.js allows by itself when the file is big.
const ROOMY = '--max-old-space-size=8192';

const realPi = (file, ...flags) => ({ args: [ROOMY, 'test/bench/pi-load.mjs', file, ...flags] });
const plain = (path, ...flags) => ({ args: [ROOMY, 'test/bench/plain.mjs', path, ...flags] });
const duckDb = (path, question) => ({ args: ['test/bench/duckdb-lines.mjs', path, question] });
const sql = (what, from) => `SELECT ${what} FROM ${from} GROUP BY 1`;

/** The jobs: the command line of ctx, and what does the same with another program. `path` is a file or a folder. */
const JOBS = [
  {
    name: 'context',
    title: 'The context at the end of a session',
    note: 'Real Pi loads the file and builds the context. Parsing keeps every entry and builds none.',
    isOfOne: true,
    ctx: (file) => ['show', file],
    others: (file) => ({ 'real Pi': realPi(file), 'parsing every line': plain(file, '--keep') }),
  },
  {
    name: 'tree',
    title: 'The tree of all entries',
    note: 'Real Pi loads the file. ctx also prints the tree as JSON.',
    isOfOne: true,
    ctx: (file) => ['tree', file, '--json'],
    others: (file) => ({ 'real Pi': realPi(file, '--load-only'), 'parsing every line': plain(file, '--keep') }),
  },
  {
    name: 'damage',
    title: 'Damage of the file and its tree',
    note: 'Parsing finds lines that are not JSON, and nothing else.',
    ctx: (path) => ['check', path, '--rules', 'file,tree', '--quiet'],
    others: (path) => ({ 'parsing every line': plain(path) }),
  },
  {
    name: 'check',
    title: 'All rules',
    note: 'No other program checks them; parsing is there for comparison.',
    ctx: (path) => ['check', path, '--quiet'],
    others: (path) => ({ 'parsing every line': plain(path) }),
  },
  {
    name: 'text',
    title: 'A search for a text that is nowhere',
    note: 'ripgrep searches the bytes; ctx also finds the text where JSON escapes it.',
    ctx: (path) => ['grep', 'deadlock', path, '--where', 'all'],
    others: (path) => ({ ripgrep: { program: ripgrep, args: ['deadlock', path] } }),
  },
  {
    name: 'cost',
    title: 'Recorded dollars by model',
    note:
      'Parsing and DuckDB (`read_json`) give the sums of ctx. ccusage gives those of answers, without compactions ' +
      'and cache warming.',
    ctx: (path) => ['stats', path, '--by', 'model'],
    others: (path, folder) => ({
      'parsing every line': plain(path),
      DuckDB: duckDb(path, 'cost'),
      ccusage: { program: ccusage, args: ['pi', 'session', '--json', '--offline', '--pi-path', folder] },
    }),
  },
  {
    name: 'query',
    title: 'Tool calls by name, in SQL',
    note: 'DuckDB reads the lines with `read_json`; `ctx query` gives it the table `tool_calls`.',
    ctx: (path) => ['query', sql('tool_name, count(*)', 'tool_calls'), path],
    others: (path) => ({ DuckDB: duckDb(path, 'tools') }),
  },
  {
    name: 'list',
    title: 'The list of sessions',
    note: 'With the entries, cost and damage of each, for which every byte is read.',
    isOfFolder: true,
    ctx: (path) => ['ls', path],
    others: (path) => ({ 'parsing every line': plain(path) }),
  },
  {
    name: 'export',
    title: 'All tables as Parquet files',
    most: 200,
    note: 'Each line is parsed, and each session is replayed once.',
    isOfFolder: true,
    ctx: (path) => ['export', path, '--format', 'parquet', '-o', join(output, 'tables'), '--force'],
    others: (path) => ({ 'parsing every line': plain(path) }),
  },
];

const isAsked = (list, name) => list === '' || list.split(',').includes(name);
/** The results of this run and of those before it, so that sizes can be measured one at a time. */
const keptResults = join(tmpdir(), 'ctx-bench/all.json');
const results = existsSync(keptResults) ? JSON.parse(readFileSync(keptResults, 'utf8')) : {};
/** The names of the programs beside ctx, where they are not those of the tables. */
const LABELS = { ctx: '**ctx**', again: 'ctx, again', before: 'ctx before' };
try {
  for (const size of SIZES.filter((one) => isAsked(values.only, one.size ?? String(one.count)))) {
    const paths = prepare(size);
    for (const job of JOBS.filter((one) => isAsked(values.job, one.name) && isMeasured(one, size))) {
      results[keyOf(job, size)] = measure(job, size, paths);
      writeFileSync(keptResults, JSON.stringify(results));
    }
  }
} finally {
  rmSync(output, { recursive: true });
}
report([introduce(), ...JOBS.map(renderJob).filter(Boolean)]);

function isMeasured({ isOfOne, isOfFolder, most = Infinity }, { count }) {
  if (count > most) return false;
  return count === undefined ? !isOfFolder : !isOfOne;
}

function keyOf(job, size) {
  return `${job.name} ${size.name}`;
}

/** The folder of the sessions, their files, and the path that a command line names. */
function prepare({ size, count }) {
  const folder = count === undefined ? keepOneSession(size, values.shape) : keepManySessions(count);
  const reads = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return { folder, reads, path: count === undefined ? reads[0] : folder };
}

/** The results of one job at one size: of ctx, and of each program beside it. */
function measure(job, { name, count, rounds, isWarm }, { folder, reads, path }) {
  const others = Object.entries(job.others(path, folder)).map(([program, one]) => ({ name: program, ...one }));
  const argv = job.ctx(path);
  const cases = [
    { name: 'ctx', args: ['bin/ctx.js', ...argv], env: { CTX_INDEX_DIR: '' } },
    ...(values.before
      ? [{ name: 'before', args: [join(values.before, 'bin/ctx.js'), ...argv], env: { CTX_INDEX_DIR: '' } }]
      : []),
    ...(count === undefined || isWarm
      ? []
      : [{ name: 'again', args: ['bin/ctx.js', ...argv], env: { CTX_INDEX_DIR: join(output, 'index') } }]),
    ...others.filter(({ program }) => program === undefined || existsSync(program)),
  ].map((one) => ({ ...one, reads }));
  for (const { program } of others) if (program && !existsSync(program)) console.error(`${program} is not installed`);
  const measured = compare(cases, Number(values.rounds || rounds), { isProcessorTimed: true, isWarm });
  for (const excuse of excuses(measured)) console.error(excuse);
  const row = measured.map((result) => `${result.name} ${(result.median / 1e3).toFixed(2)} s`).join(', ');
  console.error(`${job.name}, ${name}: ${row}`);
  return measured;
}

function renderJob(job) {
  const columns = SIZES.filter((size) => keyOf(job, size) in results);
  if (columns.length === 0) return null;
  const names = [...new Set(columns.flatMap((size) => results[keyOf(job, size)].map(({ name }) => name)))];
  const rows = names.map((name) => [LABELS[name] ?? name, ...columns.map((size) => renderCell(job, size, name))]);
  const command = `ctx ${job
    .ctx(job.isOfFolder ? 'FOLDER' : 'FILE')
    .map(quote)
    .join(' ')}`;
  return [
    `### ${job.title}`,
    `\`${command}\`. ${job.note}`,
    table(['', ...columns.map(({ name }) => name)], rows),
  ].join('\n\n');
}

function quote(word) {
  const shown = word.startsWith(output) ? 'tables' : word;
  return shown.includes(' ') ? `'${shown}'` : shown;
}

/** The processor time of ctx itself with its memory, and that of another program as a multiple. */
function renderCell(job, size, name) {
  const row = results[keyOf(job, size)];
  const [own] = row;
  const result = row.find((one) => one.name === name);
  if (result === undefined || result.skipped !== undefined) return '';
  if (result === own) return `${(result.processor / 1e3).toFixed(2)} s, ${(result.peak / 1e6).toFixed(0)} MB`;
  return `${formatRatio(medianRatio(result.processorTimes, own.processorTimes))} ×`;
}

function formatRatio(ratio) {
  if (ratio >= 10) return ratio.toFixed(0);
  return ratio.toFixed(ratio < 0.1 ? 3 : 2);
}

function introduce() {
  const date = new Date().toISOString().slice(0, 10);
  const folders = SIZES.filter((size) => size.count !== undefined && keyOf({ name: 'list' }, size) in results).map(
    (size) => `${size.name} have ${megabytesOf(prepare(size).reads)} MB`,
  );
  const turns = SIZES.filter((size) => keyOf({ name: 'cost' }, size) in results)
    .map((size) => `${results[keyOf({ name: 'cost' }, size)][0].times.length} for ${size.name}`)
    .join(', ');
  const before = values.before ? ` "ctx before" is commit ${commitOf(values.before)}.` : '';
  return `${date}, Node.js ${process.versions.node}; turns: ${turns}. ${folders.join('; ')}.${before}`;
}

function megabytesOf(files) {
  return Math.round(files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6);
}

function commitOf(folder) {
  return execFileSync('git', ['-C', folder, 'rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim();
}

function report(parts) {
  const content = parts.join('\n\n');
  console.log(content);
  if (!values.write) return;
  const old = readFileSync(page, 'utf8');
  writeFileSync(page, old.replace(/(<!-- figures[^>]*-->\n)[^]*?(<!-- end -->)/, `$1\n${content}\n\n$2`));
}
