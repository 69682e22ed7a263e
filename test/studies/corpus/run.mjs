import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
// Fetches the corpus, measures it and writes the pages of docs/studies.
//
//   npm run corpus -- FOLDER [--yes] [--from URL]
//
// Without --yes it prints what it would fetch, and ends.

const USAGE = 'usage: npm run corpus -- FOLDER [--yes] [--from https://github.com/OWNER/NAME]';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { yes: { type: 'boolean', default: false }, from: { type: 'string' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error(USAGE);
const from = values.from === undefined ? [] : ['--from', values.from];

function run(script, ...args) {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, folder, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exitCode = 1;
}

if (values.yes) {
  // What cannot be fetched is counted on the page of the corpus.
  run('fetch.mjs', '--yes', ...from);
  run('measure.mjs');
  run('commands.mjs');
  for (const study of ['write', 'questions', 'overhead', 'estimates']) run(`${study}.mjs`);
  run('pruners.mjs', ...from);
  run('readme.mjs');
} else {
  run('fetch.mjs', ...from);
  console.log(`
With --yes, these sessions are fetched into ${path.resolve(folder)}, which must not be in a repository.
Then ctx reads each, which takes about half an hour, and the pages of docs/studies are written.
The page about pruners also downloads four other pruners, and needs real clients:
  (cd test/clients/npm && npm ci --ignore-scripts)
To go on: npm run corpus -- ${folder} --yes${from.length === 0 ? '' : ` --from ${values.from}`}
A run that was interrupted goes on where it was.`);
}
