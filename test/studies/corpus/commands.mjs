import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { bin, groupBy, listSessions, nameVersions } from './support.mjs';
// Runs the commands that read a session, as a user runs them, on a session of each agent and version. write.mjs prints what
// became of them.
//
//   node build.mjs && node test/studies/corpus/commands.mjs FOLDER

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/commands.mjs FOLDER');

const COMMANDS = [
  'status',
  'show',
  'log',
  'tree',
  'grep the',
  'stats',
  'overhead',
  'cache',
  'loss',
  'facts',
  'why error',
  'check',
  'doctor',
  'export --format markdown',
  'export --format anthropic',
  'report --output -',
];
/** In bytes: a larger session takes long. */
const MOST = 300_000;
/** The exit code of an internal error. */
const BUG = 70;

/** The largest session of a list that is not too large. */
function choose(rows) {
  return rows.filter(({ bytes }) => bytes <= MOST).toSorted((one, other) => other.bytes - one.bytes)[0];
}

function run(command, file) {
  const [name, ...rest] = command.split(' ');
  const args = [bin, name, ...(name === 'grep' || name === 'why' ? [...rest, file] : [file, ...rest]), '--no-config'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 30, input: '' });
  return { command, status, failure: status === null || status === BUG ? stderr.split('\n')[0] : null };
}

const chosen = [
  ...groupBy(listSessions(folder), ({ agent, version }) => `${agent} ${nameVersions(version)}`).values(),
].flatMap((rows) => choose(rows) ?? []);
const runs = chosen.flatMap(({ sha256, file }) => COMMANDS.map((command) => ({ sha256, ...run(command, file) })));
writeFileSync(path.join(folder, 'commands.jsonl'), runs.map((each) => `${JSON.stringify(each)}\n`).join(''));
for (const { sha256, command, failure } of runs)
  if (failure !== null) console.error(`${command} ${sha256.slice(0, 12)}: ${failure}`);
