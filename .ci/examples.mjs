// Compiles the examples of the manual and the engines of the fixtures against the types of the package, as the strictest
// of its users would: `node .ci/examples.mjs`. Whether all types that the package names are in it shows here too.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PAGES = [
  'docs/reference/library.md',
  'docs/lab/engines.md',
  'docs/lab/hooks.md',
  'docs/reference/configuration.md',
];
const EXAMPLE = /^```ts\n(.*?)^```$/gms;

const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'examples-'));
try {
  process.exitCode = compile([...writeExamples(), ...copyEngines()]);
} finally {
  rmSync(folder, { recursive: true });
}

/** Those that import the package; others are pieces of something. */
function writeExamples() {
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(root, path.join(folder, 'node_modules/pi-ctx'));
  return PAGES.flatMap((page) => {
    const codes = [...readFileSync(path.join(root, page), 'utf8').matchAll(EXAMPLE)].map(([, code]) => code);
    const whole = codes.filter((code) => code.includes("from 'pi-ctx"));
    return whole.map((code, at) => {
      const name = `${path.basename(page, '.md')}-${at + 1}.ts`;
      writeFileSync(path.join(folder, name), code);
      return name;
    });
  });
}

function copyEngines() {
  cpSync(path.join(root, 'fixtures/engines'), path.join(folder, 'engines'), { recursive: true });
  const names = readdirSync(path.join(folder, 'engines'), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => path.join('engines', name));
}

function compile(files) {
  const options = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  const types = { types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')], skipLibCheck: false };
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, ...types }, files }),
  );
  const { status } = spawnSync('tsc', ['-p', folder], { cwd: root, stdio: 'inherit' });
  console.log(`${files.length} examples: ${status === 0 ? 'their types are right' : 'tsc refuses them'}`);
  return status ?? 1;
}
