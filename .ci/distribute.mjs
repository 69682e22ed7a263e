// Makes all that a release gives out, of one packed tarball, and tries each part that can be tried here:
//   node .ci/distribute.mjs TARBALL FOLDER
// FOLDER gets the tarball, the single file `ctx`, `formulas/`, `mcp/`, `docker/`, `plugin/`, and SHA256SUMS of all of it.
// What cannot be tried on this machine is made, and named in the last lines.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { runWithNpx } from './npx.mjs';

const { positionals } = parseArgs({ allowPositionals: true });
const [tarball, folder] = positionals.map((name) => path.resolve(name));
const root = path.join(import.meta.dirname, '..');
const EXAMPLE = path.join(root, 'fixtures/weather.jsonl');
/** The versions of Node.js that can make a single file. */
const SINGLE_FILE_NODE = 24;
const MOST_SECONDS = 10;
const MOST_BYTES = 20e6;
const untried = [];

if (folder === undefined) throw new Error('usage: node .ci/distribute.mjs TARBALL FOLDER');
mkdirSync(folder, { recursive: true });
const packed = path.join(folder, path.basename(tarball));
if (packed !== tarball) copyFileSync(tarball, packed);
await tryNpx();
makeSingleFile();
makeFormulas();
makeMcpBundle();
makeDockerContext();
takePlugin();
writeSums();
for (const line of untried) console.log(`not tried here: ${line}`);

/** The action, the hook of pre-commit and the plan of Docker run `npx pi-ctx` or `npm install`: they are tried by this. */
async function tryNpx() {
  const shown = await runWithNpx(packed, ['show', EXAMPLE]);
  const checked = await runWithNpx(packed, ['check', EXAMPLE, '--max-warnings', '1000']);
  for (const { exitCode, stderr } of [shown, checked]) if (exitCode !== 0) throw new Error(`npx failed: ${stderr}`);
  const { seconds, bytes, withScripts } = shown;
  report('npx', `${seconds.toFixed(1)} s for the first answer, ${megabytes(bytes)} installed`);
  if (bytes > MOST_BYTES) throw new Error(`more than ${megabytes(MOST_BYTES)} are installed`);
  if (withScripts.length > 0) throw new Error(`install scripts: ${withScripts.join(', ')}`);
  // A busy machine is no fault of the package.
  if (seconds > MOST_SECONDS) untried.push(`an answer in ${MOST_SECONDS} s: this machine took ${seconds.toFixed(1)} s`);
}

function makeSingleFile() {
  if (Number(process.versions.node.split('.')[0]) < SINGLE_FILE_NODE) {
    untried.push(`the single file, which Node.js ${SINGLE_FILE_NODE} makes; this is ${process.version}`);
    return;
  }
  const program = path.join(folder, 'ctx');
  runScript('single-file', packed, program);
  const { stdout } = execaSync(program, ['show', EXAMPLE], {
    env: { PATH: '/nowhere', HOME: folder },
    extendEnv: false,
  });
  report('single file', stdout.split('\n')[0]);
}

function makeFormulas() {
  runScript('formulas', packed, path.join(folder, 'formulas'));
  report('formulas', readdirSync(path.join(folder, 'formulas')).join(', '));
  untried.push('the formulas of Homebrew, Scoop and Nix: their hashes are those of the tarball');
}

/** Its server is started, and lists its tools for the manifest. */
function makeMcpBundle() {
  const target = path.join(folder, 'mcp');
  mkdirSync(target, { recursive: true });
  runScript('mcp-bundle', packed, target);
  const { tools } = JSON.parse(readFileSync(path.join(target, 'bundle/manifest.json'), 'utf8'));
  report('MCP bundle', `${tools.length} tools`);
}

/** A folder from which `docker build --build-arg PACKAGE=/source/TARBALL` makes the image without the registry. */
function makeDockerContext() {
  const target = path.join(folder, 'docker');
  mkdirSync(target, { recursive: true });
  copyFileSync(path.join(root, 'Dockerfile'), path.join(target, 'Dockerfile'));
  copyFileSync(packed, path.join(target, path.basename(packed)));
  untried.push('the Docker image: its plan runs npm install of the same tarball');
}

/** The plugin as the package has it. */
function takePlugin() {
  execaSync('tar', [
    '-xzf',
    packed,
    '--strip-components',
    '1',
    '-C',
    folder,
    'package/plugin',
    'package/.claude-plugin',
  ]);
  const { plugins } = JSON.parse(readFileSync(path.join(folder, '.claude-plugin/marketplace.json'), 'utf8'));
  for (const { source } of plugins)
    if (!existsSync(path.join(folder, source))) throw new Error(`no ${source} in the package`);
  report('plugin', plugins.map(({ name, version }) => `${name} ${version}`).join(', '));
}

function writeSums() {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'SHA256SUMS')
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !/^(?:mcp\/bundle|\.cache)\//.test(name))
    .toSorted();
  const sums = files.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(path.join(folder, name)))
        .digest('hex')}  ${name}`,
  );
  writeFileSync(path.join(folder, 'SHA256SUMS'), `${sums.join('\n')}\n`);
  report('SHA256SUMS', `${files.length} files`);
}

function runScript(name, ...args) {
  execaSync(process.execPath, [path.join(import.meta.dirname, `${name}.mjs`), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
}

function report(what, result) {
  console.log(`${what}: ${result}`);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
