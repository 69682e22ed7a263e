// How long `ctx ls` takes in a folder of many sessions, laid out as Pi does it.
//
//   npm run bench:many [-- --count 2000] [--size 1MB] [--rounds 5]
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bytesOf, writeBigSession } from './big-session.mjs';
import { compare, excuses, figures, kept, table } from './measure.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values } = parseArgs({ options: { count: text('2000'), size: text('1MB'), rounds: text('5') } });
const [count, rounds] = [Number(values.count), Number(values.rounds)];

const FOLDERS = ['weather', 'forecast', 'notes', 'site', 'bot', 'maps', 'tides'].map((name) => `/home/ada/${name}`);
// Only these are made from nothing; all others are one of them under another header, which is far quicker.
const BODIES = 20;

function writeSessions(agent) {
  const bodies = [];
  for (let index = 0; index < count; index += 1) {
    const cwd = FOLDERS[index % FOLDERS.length];
    const timestamp = new Date(Date.parse('2026-03-02T09:00:00.000Z') + index * 3_600_000).toISOString();
    const id = `019cad3e-0000-7000-8000-${String(index).padStart(12, '0')}`;
    const folder = join(agent, 'sessions', `--${cwd.slice(1).replaceAll('/', '-')}--`);
    const file = join(folder, `${timestamp.replaceAll(/[:.]/g, '-')}_${id}.jsonl`);
    const header = { id, timestamp, cwd };
    mkdirSync(folder, { recursive: true });
    if (index < BODIES) {
      writeBigSession(file, { size: bytesOf(values.size), seed: index + 1, header });
      const written = readFileSync(file);
      bodies.push(written.subarray(written.indexOf('\n') + 1));
    } else {
      const line = JSON.stringify({ type: 'session', version: 3, ...header });
      writeFileSync(file, Buffer.concat([Buffer.from(`${line}\n`), bodies[index % BODIES]]));
    }
  }
}

const agent = kept(`agent-${values.count}-${values.size}`, writeSessions);
const reads = readdirSync(agent, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));

const env = { PI_CODING_AGENT_DIR: agent };
const results = compare(
  [
    { name: 'node -e 0', args: ['-e', '0'] },
    { name: 'ctx ls --json', args: ['bin/ctx.js', 'ls', '--json'], reads, env },
  ],
  rounds,
);
const rows = results.map((result) => {
  const seconds = result.skipped === undefined ? (result.median / 1000).toFixed(2) : 'skipped';
  return [result.name, seconds, figures(result)[1]];
});
console.log(`Node ${process.version}, ${rounds} interleaved rounds, ${reads.length} sessions of ${values.size}\n`);
console.log(table(['case', 'median s', 'peak MB'], rows));
console.log(['', ...excuses(results).map((excuse) => `Skipped: ${excuse}\n`)].join('\n'));
