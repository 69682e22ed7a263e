// What the benches share: timed processes and their peak memory, medians, tables, and the folder of big files.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const peakScript = new URL('peak.mjs', import.meta.url).href;

// Where it is set, Node 20 reads a certificate file at every start.
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;

function run(node, { program, args, env }, isMeasured, limit) {
  if (program) return runOther(program, args);
  const flags = isMeasured ? ['--import', peakScript] : [];
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe'];
  const stop = { timeout: limit && limit * 1e3, killSignal: 'SIGKILL' };
  const options = { cwd: root, env: { ...environment, ...env }, stdio, ...stop };
  const start = performance.now();
  const { status, signal, output } = spawnSync(node, [...flags, ...args], options);
  const milliseconds = performance.now() - start;
  const [peak, processor] = String(output[3]).split(' ').map(Number);
  return { status: status ?? signal, milliseconds, stderr: String(output[2]), peak, processor };
}

/** A program that is not Node.js, with the processor time that bash reports. Where it is not there or may not be executed, it is skipped. */
function runOther(program, args) {
  const script = 'TIMEFORMAT="%U %S"; time "$0" "$@" > /dev/null 2>&1';
  const start = performance.now();
  const { status, stderr } = spawnSync('bash', ['-c', script, program, ...args], { cwd: root, env: environment });
  const milliseconds = performance.now() - start;
  const [user, system] = String(stderr).trim().split(' ').map(Number);
  const isMissing = status === 126 || status === 127;
  return { status: isMissing ? 77 : 0, milliseconds, stderr: 'not installed', processor: (user + system) * 1e3 };
}

/**
 * Whole processes of Node.js, in turns, so that a busy moment of the machine hits every case. A case has a `name`,
 * the `args`, and may have `reads` (files to keep in the page cache) and `env`. The first round is not timed: it
 * warms up and takes the peak memory, whose measuring costs time. A case that exits with 77 is skipped: what it
 * compares with is not installed. A case with a `program` runs that, without its memory. `node` is the Node.js that runs
 * them. `isProcessorTimed`: take the processor time of all threads too, of programs that run long enough for its
 * measuring not to matter. `limit`: the seconds after which a case is stopped, and skipped as well. `isWarm`: time the
 * first round too, of programs that run so long that a warm start does not matter.
 */
export function compare(
  cases,
  rounds,
  { node = process.execPath, isProcessorTimed = false, limit, isWarm = false } = {},
) {
  const results = cases.map(({ name }) => ({ name, times: [], processorTimes: [] }));
  for (let round = isWarm ? 1 : 0; round <= rounds; round += 1) {
    for (const [index, { program, args, reads = [], env }] of cases.entries()) {
      const result = results[index];
      if (result.skipped !== undefined) continue;
      for (const file of reads) readThrough(file);
      const { status, milliseconds, stderr, peak, processor } = run(
        node,
        { program, args, env },
        isProcessorTimed || round === 0,
        limit,
      );
      if (status === 77) result.skipped = stderr.trim();
      else if (status === 'SIGKILL' && limit) result.skipped = `stopped after ${limit} s`;
      // A check that finds something in a made-up session has run as well, and so has a search that finds nothing.
      else if (status !== 0 && !(status === 1 && (args.includes('check') || args.includes('grep'))))
        throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
      else {
        result.peak ??= peak;
        if (round === 0) continue;
        result.times.push(milliseconds);
        result.processorTimes.push(processor);
      }
    }
  }
  return results.map(({ times, processorTimes, ...result }) => {
    return { ...result, times, processorTimes, median: median(times), processor: median(processorTimes) };
  });
}

/** The median of the ratios of the times of two cases, round by round. */
export function medianRatio(times, others) {
  return median(times.map((time, round) => time / others[round]));
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const buffer = Buffer.alloc(1 << 20);

function readThrough(file) {
  const descriptor = openSync(file);
  while (readSync(descriptor, buffer) > 0);
  closeSync(descriptor);
}

/**
 * The path of a file or folder in the temporary folder; `make(path)` is called only where it is not there yet.
 * After a change of what it makes, delete the folder `ctx-bench` there.
 */
export function kept(name, make) {
  const folder = join(tmpdir(), 'ctx-bench');
  const path = join(folder, name);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  make(unfinished);
  renameSync(unfinished, path);
  return path;
}

/** A Markdown table: the first column holds names, the others numbers. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [head, head.map((_cell, index) => (index === 0 ? '---' : '---:')), ...rows].map(line).join('\n');
}

/** The figures of one result, for a table: median in milliseconds and peak in megabytes. */
export function figures({ median: milliseconds, peak, skipped }) {
  if (skipped !== undefined) return ['skipped', '-'];
  return [milliseconds.toFixed(milliseconds < 100 ? 1 : 0), (peak / 1e6).toFixed(0)];
}

/** Why cases were skipped, for the lines below a table. */
export function excuses(results) {
  return results.filter(({ skipped }) => skipped !== undefined).map(({ name, skipped }) => `${name}: ${skipped}`);
}
