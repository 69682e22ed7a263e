import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
// Fetches the sessions of sessions.jsonl from their public repositories into a folder, and checks each against its hash.
// A file that is there already is not fetched again. The sessions belong to their authors: they stay out of this repository.
//
//   node test/studies/corpus/fetch.mjs FOLDER [--from https://github.com/OWNER/NAME]
//
// --from is where a repository is cloned from, with OWNER and NAME where its own are to be put. A folder instead of a URL
// has clones already: they are read where they are, also if files are missing in them.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: 'https://github.com/OWNER/NAME' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('usage: node test/studies/corpus/fetch.mjs FOLDER [--from URL]');

const MOST_BYTES = 2 ** 30;
const list = fileURLToPath(new URL('sessions.jsonl', import.meta.url));
const sessions = readFileSync(list, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

function placeOf({ agent, repository, path: file, sha256 }) {
  const name = `${repository.replace('/', '+')}-${sha256.slice(0, 12)}${path.extname(file)}`;
  return path.join(folder, agent, name);
}

function git(clone, ...args) {
  return execFileSync('git', ['-C', clone, ...args], { maxBuffer: MOST_BYTES, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The clone of a repository, and whether it may be removed afterwards. */
function openClone(repository, commits) {
  const [owner, name] = repository.split('/');
  const from = values.from.replace('OWNER', owner).replace('NAME', name);
  if (!/^[a-z+]+:\/\//.test(from)) return { clone: from, isOurs: false };
  return { clone: cloneCommits(from, commits), isOurs: true };
}

/** Clones what the commits hold in their trees; the files come one by one. */
function cloneCommits(url, commits) {
  const clone = mkdtempSync(path.join(tmpdir(), 'ctx-corpus-'));
  git(clone, 'init', '--quiet', '--bare');
  git(clone, 'remote', 'add', 'origin', url);
  git(clone, 'config', 'remote.origin.promisor', 'true');
  git(clone, 'config', 'remote.origin.partialclonefilter', 'blob:none');
  git(clone, 'fetch', '--quiet', '--depth', '1', '--filter=blob:none', 'origin', ...commits);
  return clone;
}

const byRepository = new Map();
for (const row of sessions) byRepository.set(row.repository, [...(byRepository.get(row.repository) ?? []), row]);
let missing = 0;
for (const [repository, rows] of byRepository) {
  const wanted = rows.filter((row) => !existsSync(placeOf(row)));
  if (wanted.length === 0) continue;
  let opened;
  try {
    opened = openClone(repository, [...new Set(wanted.map(({ commit }) => commit))]);
  } catch (error) {
    console.error(`${repository}: ${error.stderr ?? error.message}`);
    missing += wanted.length;
    continue;
  }
  for (const row of wanted) {
    try {
      const bytes = git(opened.clone, 'cat-file', 'blob', `${row.commit}:${row.path}`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (sha256 !== row.sha256) throw new Error('the file has another hash than in the list');
      mkdirSync(path.dirname(placeOf(row)), { recursive: true });
      writeFileSync(placeOf(row), bytes);
    } catch (error) {
      console.error(`${repository}: ${row.path}: ${error.stderr ?? error.message}`);
      missing += 1;
    }
  }
  if (opened.isOurs) rmSync(opened.clone, { recursive: true });
}
console.log(`${sessions.length - missing} of ${sessions.length} sessions are in ${folder}`);
process.exitCode = missing === 0 ? 0 : 1;
