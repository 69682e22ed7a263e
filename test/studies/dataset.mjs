// Keeps a dataset of 2,000 sessions of four agents up to date, and asks three engines and `ctx stats` for the same sums.
//
//   (cd test/polars && npm install) && (cd test/clickhouse && npm install)
//   node build.mjs && node test/studies/dataset.mjs [--count 2000]
//
// The sessions are copies of the fixtures with other ids, days and token counts. The steps are those of a real folder:
// the first export, one that changes nothing, sessions that grow, sessions that are deleted, a second machine, and a job
// array whose tasks are killed and run again. After each, the dollars and calls of each agent are equal to the cent, or
// the script fails.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';

const { values } = parseArgs({ options: { count: { type: 'string', default: '2000' } } });
const count = Number(values.count);
const project = fileURLToPath(new URL('../..', import.meta.url));
const program = path.join(project, 'bin/ctx.js');
const root = mkdtempSync(path.join(tmpdir(), 'ctx-dataset-'));
const sessions = path.join(root, 'sessions');
const dataset = path.join(root, 'dataset');

/** The sessions that are copied. Each agent has a project, so that a job array shares them among its tasks. */
const ORIGINALS = [
  ['pi', 'fixtures/weather.jsonl'],
  ['claude-code', 'fixtures/agents/claude-code/session.jsonl'],
  ['codex', 'fixtures/agents/codex/rollout.jsonl'],
  ['gemini-cli', 'fixtures/agents/gemini-cli/session.jsonl'],
  ['pi', 'fixtures/two-compactions.jsonl'],
  ['claude-code', 'fixtures/agents/claude-code/requests.jsonl'],
  ['codex', 'fixtures/agents/codex/version-0.50.jsonl'],
];

const AGENTS = ['claude-code', 'codex', 'gemini-cli', 'pi'];

try {
  await follow();
} finally {
  rmSync(root, { recursive: true });
}

async function follow() {
  const files = Array.from({ length: count }, (_, index) => writeCopy(index));
  await compareSums('first export', () => exportFrom('alpha'));
  await compareSums('nothing new', () => exportFrom('alpha'));
  for (const file of files.filter((_, index) => index % 40 === 0)) growSession(file);
  await compareSums('sessions that grew', () => exportFrom('alpha'));
  for (const file of files.filter((_, index) => index % 41 === 5)) rmSync(file);
  await compareSums('sessions that are gone', () => exportFrom('alpha'));
  await compareSums('a second machine', shareWithMachine);
  await compareSums('a job array, killed and run again', runJobArray);
}

/** Writes a copy with ids, days and numbers of tokens of its own. Returns its file. */
function writeCopy(index) {
  const [agent, original] = ORIGINALS[index % ORIGINALS.length];
  const folder = path.join(sessions, `${agent}-${index % 3}`);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${agent === 'codex' ? 'rollout-' : ''}${String(index).padStart(5, '0')}.jsonl`);
  const factor = 1 + (index % 7);
  const text = readFileSync(path.join(project, original), 'utf8')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => renameUuid(id, index))
    .replaceAll(/"((?:msg|req)_)(\w+)"/g, (_, kind, id) => `"${kind}${hash(id, index).slice(0, 24)}"`)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => delay(Date.parse(time), index).toISOString())
    .replaceAll(/"timestamp":(\d{13})/g, (_, time) => `"timestamp":${delay(Number(time), index).getTime()}`)
    .replaceAll(/"(\w*_tokens|cached|thoughts)":(\d+)/g, (_, key, tokens) => `"${key}":${tokens * factor}`);
  writeFileSync(file, text);
  return file;
}

/** Ends a session with another answer. That of Codex repeats a count, which is no new call. */
function growSession(file) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const answer = lines.findLast((line) => /"usage"|"tokens"|"token_count"/.test(line));
  if (answer) appendFileSync(file, `${renameIds(answer)}\n`);
}

/** The line of an answer with an id of its own, below the same parent. */
function renameIds(line) {
  return line
    .replaceAll(
      /"(id|uuid)":"([^"]+)"/g,
      (_, key, id) => `"${key}":"${id.length === 36 ? renameUuid(id, -1) : hash(id, -1).slice(0, 8)}"`,
    )
    .replace(/"requestId":"[^"]+"/, `"requestId":"req_${hash(line, -1).slice(0, 24)}"`);
}

function exportFrom(host, folders = [sessions]) {
  runCtx(['export', ...folders, '--format', 'parquet', '-o', dataset, '--partition', 'day', '--host', host]);
}

/** Half of the projects move to another machine, which exports them to the same dataset. */
function shareWithMachine() {
  rmSync(dataset, { recursive: true });
  const projects = listProjects();
  exportFrom(
    'alpha',
    projects.filter((_, at) => at % 2 === 0),
  );
  exportFrom(
    'beta',
    projects.filter((_, at) => at % 2 === 1),
  );
}

/** Four tasks at a time, each killed once while it writes, as a cluster does with a lost node. */
async function runJobArray() {
  rmSync(dataset, { recursive: true });
  const bin = path.join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, 'ctx'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(path.join(bin, 'ctx'), 0o755);
  const tasks = [0, 1, 2, 3];
  for (const delayBefore of [700, null]) await Promise.all(tasks.map((task) => runTask(bin, task, delayBefore)));
}

/** Runs a task to its end, or kills it after some milliseconds. */
function runTask(bin, task, milliseconds) {
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    CTX_INDEX_DIR: '',
    SLURM_ARRAY_TASK_COUNT: '4',
    SLURM_ARRAY_TASK_ID: String(task),
  };
  const script = path.join(project, 'docs/ci/dataset.slurm');
  const running = spawn('sh', [script, sessions, dataset], { env, stdio: 'ignore' });
  if (milliseconds !== null) setTimeout(() => running.kill('SIGKILL'), milliseconds);
  return new Promise((resolve, reject) => {
    running.on('exit', (code) =>
      code === 0 || milliseconds !== null ? resolve() : reject(new Error(`task ${task}: ${code}`)),
    );
  });
}

function listProjects() {
  return readdirSync(sessions).map((name) => path.join(sessions, name));
}

async function compareSums(step, change) {
  const start = performance.now();
  await change();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const expected = askCtx();
  const answers = { DuckDB: await askDuckDb(), Polars: askPolars(), ClickHouse: askClickHouse() };
  const files = readdirSync(dataset, { recursive: true }).filter((name) => name.endsWith('.parquet')).length;
  console.log(`${step}: ${seconds} s, ${files} files`);
  for (const [agent, calls, cents] of expected) console.log(`  ${agent}: ${calls} calls, $${(cents / 100).toFixed(2)}`);
  for (const [engine, answer] of Object.entries(answers)) {
    if (JSON.stringify(answer) !== JSON.stringify(expected))
      throw new Error(
        `${engine} after "${step}": ${JSON.stringify(answer)}, and ctx stats: ${JSON.stringify(expected)}`,
      );
  }
}

/** Calls and cents of each agent, in the order of `AGENTS`, as each of the next functions returns them. */
function askCtx() {
  return AGENTS.map((agent) => {
    const folders = listProjects().filter((folder) => path.basename(folder).startsWith(agent));
    const { usageRecorded } = JSON.parse(runCtx(['stats', ...folders, '--json']));
    const { calls, cost, costListed } = usageRecorded;
    return [agent, calls, toCents((cost ?? 0) + (costListed ?? 0))];
  });
}

async function askDuckDb() {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const from = `read_parquet('${dataset}/usage/*/*/*.parquet', hive_partitioning = true)`;
  const sql = `SELECT agent, count(*)::INT AS calls, sum(coalesce(cost_recorded, cost_listed))::DOUBLE AS dollars FROM ${from} WHERE NOT shared GROUP BY agent ORDER BY agent`;
  const rows = (await connection.runAndReadAll(sql)).getRowsJS();
  connection.closeSync();
  instance.closeSync();
  return rows.map(([agent, calls, dollars]) => [agent, calls, toCents(dollars)]);
}

function askPolars() {
  const polars = createRequire(path.join(project, 'test/polars/package.json'))('nodejs-polars');
  const sums = new Map();
  for (const name of readdirSync(path.join(dataset, 'usage'), { recursive: true })) {
    if (!name.endsWith('.parquet')) continue;
    const usage = polars.readParquet(path.join(dataset, 'usage', name)).filter(polars.col('shared').eq(false));
    const dollarsIn = (column) => usage.getColumn(column).cast(polars.Float64).fillNull('zero').toArray();
    // A call has a listed cost only where it has no recorded one.
    const [recorded, listed] = [dollarsIn('cost_recorded'), dollarsIn('cost_listed')];
    for (const [at, agent] of usage.getColumn('agent').toArray().entries()) {
      const sum = sums.get(agent) ?? { calls: 0, dollars: 0 };
      sums.set(agent, { calls: sum.calls + 1, dollars: sum.dollars + recorded[at] + listed[at] });
    }
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([agent, sum]) => [agent, sum.calls, toCents(sum.dollars)]);
}

function askClickHouse() {
  const { query } = createRequire(path.join(project, 'test/clickhouse/package.json'))('chdb');
  const from = `file('${dataset}/usage/*/*/*.parquet', Parquet)`;
  const sql = `SELECT agent, count() AS calls, toFloat64(sum(coalesce(cost_recorded, cost_listed))) AS dollars FROM ${from} WHERE NOT shared GROUP BY agent ORDER BY agent`;
  const lines = String(query(sql, 'JSONEachRow')).trim().split('\n');
  return lines
    .map((line) => JSON.parse(line))
    .map(({ agent, calls, dollars }) => [agent, Number(calls), toCents(dollars)]);
}

function runCtx(argv) {
  const env = { ...process.env, CTX_INDEX_DIR: path.join(root, 'index') };
  return execFileSync(process.execPath, [program, ...argv], { env, encoding: 'utf8', maxBuffer: 1 << 30 });
}

function toCents(dollars) {
  return Math.round(Number(dollars ?? 0) * 100);
}

/** No two copies have the same times: entries with equal ids and times would count as those of a fork, once. */
function delay(time, index) {
  return new Date(time + (index % 700) * 3_600_000 + index * 1000);
}

function renameUuid(id, index) {
  const digits = hash(id, index);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join('-');
}

function hash(id, index) {
  return createHash('sha256').update(`${index} ${id}`).digest('hex');
}
