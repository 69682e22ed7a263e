import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
// Fetches the corpus, measures it and writes the pages of docs/studies. The page about pruners needs their programs, and is
// written by pruners.mjs alone.
//
//   npm run corpus -- FOLDER [--from URL]

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: npm run corpus -- FOLDER [--from URL]');

function run(script, args, stdout = 'inherit') {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, ...args], { stdio: ['ignore', stdout, 'inherit'] });
  if (status !== 0) process.exitCode = 1;
}

run('fetch.mjs', [folder, ...flags]);
run('measure.mjs', [folder], openSync(path.join(folder, 'measured.jsonl'), 'w'));
for (const study of ['write', 'questions', 'overhead', 'estimates', 'readme']) run(`${study}.mjs`, [folder]);
