// Fills in the formulas for Homebrew, Scoop and Nix: `node .ci/formulas.mjs TARBALL FOLDER`. They install the package
// from npm, so the tarball has to be the published one.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execaSync } from 'execa';

const [tarball, folder] = process.argv.slice(2);
const root = path.join(import.meta.dirname, '..');
const templates = path.join(import.meta.dirname, 'formulas');

mkdirSync(folder, { recursive: true });
const values = valuesOf(path.resolve(tarball));
for (const name of readdirSync(templates)) {
  const text = readFileSync(path.join(templates, name), 'utf8');
  writeFileSync(
    path.join(folder, name),
    text.replaceAll(/\{\{(\w+)\}\}/g, (_, key) => values[key]),
  );
}

function valuesOf(file) {
  const { stdout } = execaSync('tar', ['-xzOf', file, 'package/package.json']);
  const { name, version, description, homepage, dependencies } = JSON.parse(stdout);
  const bytes = readFileSync(file);
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  return {
    version,
    // Homebrew allows 80 characters, and no full stop at the end.
    description: description.split('. ')[0],
    homepage: homepage.replace('#readme', ''),
    url: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    jiti: dependencies.jiti,
    jitiIntegrity: packages['node_modules/jiti'].integrity,
  };
}
