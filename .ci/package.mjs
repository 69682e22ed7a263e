// Packs the package as npm publishes it, and checks the tarball: `node .ci/package.mjs [FOLDER]`. The tarball stays in
// the folder, or is removed where none is named.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execaSync } from 'execa';

const root = path.join(import.meta.dirname, '..');
const [kept] = process.argv.slice(2);
const folder = kept ?? mkdtempSync(path.join(tmpdir(), 'package-'));
try {
  check(pack());
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true });
}

/** The path of the tarball. */
function pack() {
  execaSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'inherit' });
  return path.join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  );
}

/** Ends with the exit code 1 where a check fails, after all of them have run. */
function check(tarball) {
  const options = { cwd: root, stdio: 'inherit', preferLocal: true, reject: false };
  const checks = [
    execaSync('publint', ['run', tarball, '--strict'], options),
    execaSync('attw', [tarball, '--profile', 'esm-only'], options),
    execaSync('node', ['.ci/examples.mjs'], options),
  ];
  if (checks.some(({ failed }) => failed)) process.exitCode = 1;
}
