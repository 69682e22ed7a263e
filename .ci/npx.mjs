// Runs a packed package by its name on a machine that has nothing: `npx pi-ctx ARGS…` with an empty home and cache, from a
// registry on this machine that serves the tarball and its dependencies.
// As a program it prints what `runWithNpx` returns: node .ci/npx.mjs TARBALL ARGS…
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa, execaSync } from 'execa';

const packages = path.join(import.meta.dirname, '../node_modules');

/**
 * Runs `npx NAME ARGS…` in an empty folder. Returns its output, the seconds it took, the bytes that were installed, and the
 * installed packages that have install scripts.
 */
export async function runWithNpx(tarball, args) {
  const work = mkdtempSync(path.join(tmpdir(), 'ctx-npx-'));
  const registry = await serve(tarball, work);
  try {
    const env = {
      PATH: process.env.PATH,
      HOME: work,
      npm_config_registry: registry.url,
      npm_config_cache: path.join(work, 'cache'),
      npm_config_update_notifier: 'false',
    };
    const start = performance.now();
    const { exitCode, stdout, stderr } = await execa('npx', ['--yes', registry.name, ...args], {
      cwd: work,
      env,
      extendEnv: false,
      reject: false,
    });
    const seconds = (performance.now() - start) / 1000;
    return {
      exitCode,
      stdout,
      stderr,
      seconds,
      ...measureInstalled(path.join(work, 'cache/_npx')),
    };
  } finally {
    registry.server.close();
    rmSync(work, { recursive: true });
  }
}

/** A registry with the package and its dependencies, and nothing else. */
async function serve(tarball, work) {
  const own = readManifest(tarball);
  const served = new Map([[own.name, { manifest: own, bytes: readFileSync(tarball) }]]);
  for (const name of Object.keys(own.dependencies ?? {})) served.set(name, packInstalled(name, work));
  const server = createServer(({ url: asked, headers }, response) => {
    const name = decodeURIComponent(asked.slice(1)).replace(/\/-\/.*$/, '');
    const found = served.get(name);
    if (found === undefined) response.writeHead(404).end('{}');
    else if (asked.endsWith('.tgz')) response.end(found.bytes);
    else response.end(JSON.stringify(describe(found, `http://${headers.host}`)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}`, name: own.name };
}

function readManifest(tarball) {
  return JSON.parse(execaSync('tar', ['-xzOf', tarball, 'package/package.json']).stdout);
}

/** A dependency as it is installed here. */
function packInstalled(name, work) {
  const tarball = path.join(work, `${name.replaceAll('/', '-')}.tgz`);
  execaSync('tar', ['-czf', tarball, '--transform', 's,^\\.,package,', '-C', path.join(packages, name), '.']);
  const packed = { manifest: readManifest(tarball), bytes: readFileSync(tarball) };
  rmSync(tarball);
  return packed;
}

function describe({ manifest, bytes }, origin) {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const dist = { tarball: `${origin}/${name}/-/${version}.tgz`, integrity };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

function measureInstalled(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const manifests = files.filter((file) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file));
  return {
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    withScripts: manifests
      .map((file) => JSON.parse(readFileSync(file, 'utf8')))
      .filter(hasInstallScript)
      .map(({ name }) => name),
  };
}

function hasInstallScript({ scripts = {} }) {
  return ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [tarball, ...args] = process.argv.slice(2);
  console.log(JSON.stringify(await runWithNpx(path.resolve(tarball), args), null, 2));
}
