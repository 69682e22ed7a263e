import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { bin, hashProgram, listSessions, readLines } from './support.mjs';
// Runs the commands that read a session, as a user runs them, on every session of the corpus, the smallest first. It goes on
// where it was ended, if the build is the same. write.mjs prints what became of them.
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
/** The exit code of an internal error. */
const BUG = 70;

/** Runs a command. Returns its exit code, null if a signal ended it, and the first line of its errors. */
function run(command, file) {
  const [name, ...rest] = command.split(' ');
  const args = [bin, name, ...(name === 'grep' || name === 'why' ? [...rest, file] : [file, ...rest]), '--no-config'];
  const running = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  running.stderr.setEncoding('utf8').on('data', (text) => {
    errors = `${errors}${text}`.slice(0, 10_000);
  });
  return new Promise((resolve) => {
    running.on('close', (status) => resolve({ status, errors: errors.split('\n')[0] }));
  });
}

const partial = path.join(folder, `commands-${hashProgram().slice(0, 12)}.part`);
if (!existsSync(partial)) writeFileSync(partial, '');
const known = new Set(readLines(partial).map(({ sha256, command }) => `${sha256} ${command}`));
const left = listSessions(folder)
  .toSorted((one, other) => one.bytes - other.bytes)
  .flatMap((session) => COMMANDS.map((command) => ({ ...session, command })))
  .filter(({ sha256, command }) => !known.has(`${sha256} ${command}`))
  .values();

async function runLeft() {
  for (const { sha256, file, command } of left) {
    const { status, errors } = await run(command, file);
    const failure = status === null || status === BUG ? errors : null;
    if (failure !== null) console.error(`${command} ${sha256.slice(0, 12)}: ${failure}`);
    appendFileSync(partial, `${JSON.stringify({ sha256, command, status, failure })}\n`);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, runLeft));
renameSync(partial, path.join(folder, 'commands.jsonl'));
