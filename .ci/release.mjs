// Gets a release ready: `npm run release -- 0.2.0`. All of it happens in a clone of the commit that is checked out:
// the version is set, the changelog is moved on, everything is checked and packed. With --write the changed files are
// put into the working tree as well. Nothing is committed, tagged or published: the commands for that are printed.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** The manual page names the day of its version; the page itself is made from the program. */
const MANUAL = ['src/cli/help/man.ts', 'docs/man/ctx.1'];

/** Files with the version or the repository for users to copy or install. */
const COPIED = ['docs', 'action.yml', '.pre-commit-hooks.yaml', 'Dockerfile', '.claude-plugin', 'plugin'];

const USAGE = 'npm run release -- VERSION [--write] [--checks COMMAND]';
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/** What is not as it has to be: said in one line, without a trace. */
class Refusal extends Error {}

try {
  release(process.argv.slice(2), process.cwd());
} catch (error) {
  if (!(error instanceof Refusal) && !error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

function release(argv, root) {
  const options = {
    write: { type: 'boolean', default: false },
    checks: { type: 'string', default: 'CTX_RUNS=1 .ci/run' },
  };
  const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
  const [version] = positionals;
  if (positionals.length !== 1 || !VERSION.test(version)) throw new Refusal(`usage: ${USAGE}`);
  refuseIfNotReady(root, version);
  checkOwner(root, values.write);
  const clone = mkdtempSync(path.join(tmpdir(), 'release-'));
  try {
    run(root, 'git', 'clone', '--quiet', root, clone);
    setVersion(clone, version);
    setOwner(clone);
    const changed = run(clone, 'git', 'diff', '--name-only').split('\n').filter(Boolean);
    say(`changes ${changed.join(', ')}`);
    check(clone, values.checks);
    pack(clone);
    if (values.write) for (const file of changed) copyFileSync(path.join(clone, file), path.join(root, file));
    say(values.write ? 'written; now:' : 'that was a dry run; with --write, then:');
    console.log(commands(version));
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

function refuseIfNotReady(root, version) {
  const { version: current } = readJson(root, 'package.json');
  if (run(root, 'git', 'status', '--porcelain') !== '') throw new Refusal('the working tree is not clean');
  if (run(root, 'git', 'tag', '--list', `v${version}`) !== '') throw new Refusal(`v${version} is there already`);
  if (isOlder(version, current)) throw new Refusal(`${version} is older than ${current}`);
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  if (!hasSection(changelog, version) && unreleased(changelog).trim() === '')
    throw new Refusal('CHANGELOG.md has nothing under Unreleased');
}

/** Refuses a release of a repository without an owner; a dry run only states it. */
function checkOwner(root, isRelease) {
  const script = path.join(import.meta.dirname, '../scripts/package.mjs');
  const { status, stderr } = spawnSync('node', [script, '--check-owner'], { cwd: root, encoding: 'utf8' });
  if (status === 0) return;
  if (isRelease) throw new Refusal(stderr.trim());
  say(`with --write this is refused: ${stderr.trim()}`);
}

function setVersion(clone, version) {
  const { version: old } = readJson(clone, 'package.json');
  run(clone, 'npm', 'version', '--no-git-tag-version', '--allow-same-version', '--ignore-scripts', version);
  // Other files say it too: what is given to people to copy, and the manual page.
  for (const file of filesWith(clone, '-lwF', old))
    rewrite(clone, file, (text) => text.replaceAll(new RegExp(`\\b${old.replaceAll('.', '\\.')}\\b`, 'g'), version));
  const date = new Date().toISOString().slice(0, 10);
  rewrite(clone, 'CHANGELOG.md', (text) =>
    hasSection(text, version) ? text : text.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${date}`),
  );
  for (const file of MANUAL.filter((name) => existsSync(path.join(clone, name))))
    rewrite(clone, file, (text) => text.replace(/\d{4}-\d\d-\d\d/, date));
}

/** Writes the owner of package.json into files that still have the placeholder. */
function setOwner(clone) {
  const [, owner, name] =
    /github\.com\/([^/]+)\/(.+)\.git$/.exec(readJson(clone, 'package.json').repository?.url) ?? [];
  for (const file of filesWith(clone, '-lF', `OWNER/${name}`))
    rewrite(clone, file, (text) => text.replaceAll(`OWNER/${name}`, `${owner}/${name}`));
}

function filesWith(clone, how, text) {
  const args = ['grep', how, text, '--', ...COPIED];
  return spawnSync('git', args, { cwd: clone, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
}

function check(clone, command) {
  say(`checks: ${command}`);
  const { status } = spawnSync(command, { cwd: clone, shell: true, stdio: 'inherit' });
  if (status !== 0) throw new Refusal(`the checks failed: ${command}`);
}

/** Packs the clone as npm would for the registry, and says what is inside. */
function pack(clone) {
  const json = run(clone, 'npm', 'pack', '--json', '--silent');
  // What the package's own scripts print stands before it.
  const [{ filename, size, unpackedSize, files }] = JSON.parse(json.slice(json.search(/^\[$/m)));
  const groups = new Map();
  for (const file of files) {
    const group = file.path.split('/').slice(0, 2).join('/');
    groups.set(group, [...(groups.get(group) ?? []), file.size]);
  }
  for (const [group, sizes] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${kilobytes(sizes.reduce((sum, one) => sum + one, 0)).padStart(10)}  ${group} (${sizes.length})`);
  say(`${filename}: ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked, ${files.length} files`);
}

/** For the person who releases. Provenance is a statement of the CI job that publishes, so it is made there. */
function commands(version) {
  const tag = version.includes('-') ? ' --tag next' : '';
  return [
    `git commit --all --message 'Release ${version}' && git tag v${version} && git push && git push origin v${version}`,
    'and on the tag, in a CI job that may ask for an identity token:',
    'npm ci && node .ci/package.mjs . && npm publish ./*.tgz --provenance --access public' + tag,
    'then everything else of that tarball: node .ci/distribute.mjs ./*.tgz distribution',
  ].join('\n');
}

/** What stands under Unreleased, up to the next version. */
function unreleased(changelog) {
  const [, after = ''] = changelog.split(/^## Unreleased$/m);
  return after.split(/^## /m)[0].replaceAll(/^### .*$/gm, '');
}

function hasSection(changelog, version) {
  return changelog.split('\n').some((line) => line.startsWith(`## ${version} - `));
}

function isOlder(version, current) {
  const numbers = (text) => text.split('-')[0].split('.').map(Number);
  const [a, b] = [numbers(version), numbers(current)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && a[at] < b[at];
}

function rewrite(folder, file, change) {
  const name = path.join(folder, file);
  writeFileSync(name, change(readFileSync(name, 'utf8')));
}

function readJson(folder, file) {
  return JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
}

function run(cwd, program, ...args) {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

function kilobytes(bytes) {
  return `${Math.ceil(bytes / 1000).toLocaleString('en-US')} kB`;
}

function say(text) {
  console.log(`release: ${text}`);
}
