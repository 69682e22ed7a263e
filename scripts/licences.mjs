// The licences of the packages whose files are part of a bundle.
import { readFile, readdir } from 'node:fs/promises';

/** Packages that name the MIT licence but leave its text out, and a file of the same holder that has it. */
const SAME_AS = new Map([['yoga-layout', 'node_modules/react/LICENSE']]);

/** The text of all licences, for the files that esbuild bundled. Throws for a package that comes without one. */
export async function licences(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const texts = [...folders]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map(async (folder) => {
      const { name, version, license } = await manifestIn(folder);
      const file = (await licenceIn(folder)) ?? (await licenceOfRepository(folder, folders)) ?? SAME_AS.get(name);
      if (!file) throw new Error(`${name} comes without a licence`);
      return `${name} ${version} (${license})\n\n${await readFile(file, 'utf8')}`;
    });
  const rules = `gitleaks 2026.7.22 (MIT)\n\n${await readFile('src/analysis/secrets/gitleaks/LICENSE', 'utf8')}`;
  return [...(await Promise.all(texts)), rules].join(`\n${'-'.repeat(80)}\n\n`);
}

async function manifestIn(folder) {
  return JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
}

async function licenceIn(folder) {
  const name = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  return name && `${folder}/${name}`;
}

/** The licence file of another package with the same licence from the same repository. */
async function licenceOfRepository(folder, folders) {
  const { repository, license } = await manifestIn(folder);
  for (const other of folders) {
    const its = await manifestIn(other);
    if (its.repository?.url !== repository?.url || its.license !== license) continue;
    const file = await licenceIn(other);
    if (file) return file;
  }
  return undefined;
}
