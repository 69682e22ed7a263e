// The packages whose files are part of a bundle, and their licences.
import { readdir, readFile } from 'node:fs/promises';

/** Packages that name the MIT licence but leave its text out, and a file of the same holder that has it. */
const SAME_AS = new Map([['yoga-layout', 'node_modules/react/LICENSE']]);

/** The folder of a package, also of one inside another's. */
const PACKAGE = /\bnode_modules\/(?:.*\bnode_modules\/)?(?:@[^/]+\/)?[^/]+/;

/** The packages of the files that esbuild bundled, in the order of their folders. */
export async function packagesOf(inputs) {
  const folders = new Set(inputs.flatMap((input) => PACKAGE.exec(input)?.[0] ?? []));
  const sorted = [...folders].toSorted((a, b) => (a < b ? -1 : 1));
  return await Promise.all(sorted.map(async (folder) => ({ folder, ...(await manifestIn(folder)) })));
}

/** The text of all licences. Throws for a package that comes without one. */
export async function licences(packages) {
  const texts = packages.map(async ({ folder, name, version, license, repository }) => {
    const same = packages.filter((other) => other.repository?.url === repository?.url && other.license === license);
    const file = (await licenceIn([{ folder }, ...same])) ?? SAME_AS.get(name);
    if (!file) throw new Error(`${name} comes without a licence`);
    return `${name} ${version} (${license})\n\n${await readFile(file, 'utf8')}`;
  });
  const rules = `gitleaks 2026.7.22 (MIT)\n\n${await readFile('scripts/gitleaks/LICENSE', 'utf8')}`;
  return [...(await Promise.all(texts)), rules].join(`\n${'-'.repeat(80)}\n\n`);
}

async function manifestIn(folder) {
  const { name, version, license, repository } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  return { name, version, license, repository };
}

/** The first licence file in the folders of some packages. */
async function licenceIn(packages) {
  for (const { folder } of packages) {
    const name = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (name) return `${folder}/${name}`;
  }
  return undefined;
}
