// Writes package.json and README.md as npm publishes them, and puts those of the repository back, in the working
// directory: `node scripts/package.mjs --pack | --restore | --check-owner`.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The owner that package.json names until the repository has one. */
const PLACEHOLDER = 'OWNER';
/** The files of the repository, while npm packs. */
const KEPT = '.packing';
const FILES = ['package.json', 'README.md'];
/** Keys of package.json that only a clone needs. Without `scripts`, no installation offers to run any. */
const OF_A_CLONE = ['scripts', 'imports', 'devDependencies', 'allowScripts', 'knip'];

const ACTIONS = { '--pack': pack, '--restore': restore, '--check-owner': checkOwner };
ACTIONS[process.argv[2]]();

function pack() {
  if (existsSync(KEPT)) restore();
  mkdirSync(KEPT);
  for (const file of FILES) cpSync(file, `${KEPT}/${file}`);
  const manifest = readManifest();
  writeFileSync('README.md', absoluteLinks(readFileSync('README.md', 'utf8'), manifest));
  for (const key of OF_A_CLONE) delete manifest[key];
  writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
}

function restore() {
  for (const file of FILES) cpSync(`${KEPT}/${file}`, file);
  rmSync(KEPT, { recursive: true });
}

function checkOwner() {
  const url = readManifest().repository?.url ?? 'no repository';
  if (url.startsWith('git+https://') && !url.includes(`/${PLACEHOLDER}/`)) return;
  console.error(`package.json must name the repository, with its owner: ${url}`);
  process.exitCode = 1;
}

/** Points links and pictures at the repository, since npm shows the page without the files that it names. */
function absoluteLinks(text, { repository, version }) {
  const page = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
  const raw = page.replace('//github.com/', '//raw.githubusercontent.com/');
  return text
    .replaceAll(/(?<=\]\()(?![a-z]+:|#)/g, `${page}/blob/v${version}/`)
    .replaceAll(/(?<=\b(?:src|srcset)=")(?![a-z]+:)/g, `${raw}/v${version}/`);
}

function readManifest() {
  return JSON.parse(readFileSync('package.json', 'utf8'));
}
