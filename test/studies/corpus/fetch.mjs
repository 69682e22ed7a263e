import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { describeFailure, git, openClone, SOURCE } from './clone.mjs';
import { count, groupBy, listed, placeOf, readLines, sum } from './support.mjs';
// Fetches the sessions of sessions.jsonl from their public repositories into a folder, and checks each against its hash.
// The sessions belong to their authors: they stay out of this repository.
//
//   node test/studies/corpus/fetch.mjs FOLDER [--yes] [--from https://github.com/OWNER/NAME] [--list sessions.jsonl]
//
// Without --yes it prints what it would fetch, and fetches nothing. A run that was interrupted goes on: what is in the folder
// with its hash stays. --from is where a repository is cloned from, with OWNER and NAME where its own are to be put. A folder
// instead of a URL has clones already: they are read where they are, also if files are missing in them.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    yes: { type: 'boolean', default: false },
    from: { type: 'string', default: SOURCE },
    list: { type: 'string' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('usage: node test/studies/corpus/fetch.mjs FOLDER [--yes] [--from URL]');
const sessions = values.list === undefined ? listed : readLines(values.list);

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Whether the folder has a session as it is listed. Half a file, or another one, is fetched again. */
function isThere(row) {
  const file = placeOf(folder, row);
  if (!existsSync(file)) return false;
  if (hashOf(readFileSync(file)) === row.sha256) return true;
  console.error(`${file}: not the listed file, so it is fetched again`);
  return false;
}

const wanted = sessions.filter((row) => !isThere(row));
const byRepository = groupBy(wanted, ({ repository }) => repository);
const megabytes = (rows) => `${(sum(rows, ({ bytes }) => bytes) / 1e6).toFixed(1)} MB`;

function printPlan() {
  console.log(`${count(sessions.length - wanted.length)} of ${count(sessions.length)} sessions are in ${folder}.`);
  if (wanted.length === 0) return;
  console.log(
    `To fetch: ${count(wanted.length)} sessions with ${megabytes(wanted)}, from ${count(byRepository.size)} public repositories:`,
  );
  for (const [repository, rows] of byRepository) {
    const place = values.from.replace('OWNER/NAME', repository);
    console.log(`  ${place}  ${count(rows.length)}, ${megabytes(rows)}, licence: ${rows[0].licence ?? 'none found'}`);
  }
}

/** Fetches one session. Throws if the repository lacks it, or has another file in its place. */
function fetchSession(clone, row) {
  const bytes = git(clone, 'cat-file', 'blob', `${row.commit}:${row.path}`);
  const found = hashOf(bytes);
  if (found !== row.sha256) throw new Error(`its SHA-256 is ${found}, and the list has ${row.sha256}`);
  const file = placeOf(folder, row);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, bytes);
  renameSync(`${file}.part`, file);
}

/** Fetches what is wanted of a repository. Returns the number of sessions that could not be had. */
function fetchRepository(repository, rows) {
  let opened;
  try {
    opened = openClone(repository, [...new Set(rows.map(({ commit }) => commit))], values.from);
    git(opened.clone, 'rev-parse', '--git-dir');
  } catch (error) {
    console.error(
      `${repository}: cannot be cloned, ${count(rows.length)} sessions are missing: ${describeFailure(error)}`,
    );
    return rows.length;
  }
  let missing = 0;
  for (const row of rows) {
    try {
      fetchSession(opened.clone, row);
    } catch (error) {
      console.error(`${repository}: ${row.path}: ${describeFailure(error)}`);
      missing += 1;
    }
  }
  opened.end();
  return missing;
}

if (values.yes) {
  let missing = 0;
  for (const [repository, rows] of byRepository) {
    console.error(`${repository}: ${count(rows.length)} sessions, ${megabytes(rows)}`);
    missing += fetchRepository(repository, rows);
  }
  console.log(`${count(sessions.length - missing)} of ${count(sessions.length)} sessions are in ${folder}`);
  process.exitCode = missing === 0 ? 0 : 1;
} else printPlan();
