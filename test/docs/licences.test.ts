import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';

/** The packages whose licence texts the build has put next to the program. It fails for one without a licence. */
function bundled(): readonly (readonly [name: string, licence: string])[] {
  const texts = readFileSync(path.join(projectFolder, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const heads = texts.split(`\n${'-'.repeat(80)}\n\n`).map((text) => /^(\S+) \d\S* \((.+)\)\n/.exec(text));
  return [...new Map(heads.map((found) => [found?.[1] ?? '', found?.[2] ?? ''])).entries()].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
}

function installed(): readonly (readonly [name: string, licence: string])[] {
  const names = Object.keys((read('package.json') as { dependencies: object }).dependencies);
  return names.map((name) => [name, (read(`node_modules/${name}/package.json`) as { license: string }).license]);
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(path.join(projectFolder, name), 'utf8'));
}

function table(packages: readonly (readonly [name: string, licence: string])[]): string {
  return ['| Package | Licence |', '| --- | --- |', ...packages.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
}

function page(): string {
  const parts = [
    '# Licences',
    'Generated from the build. `ctx` itself has the [MIT licence](../../LICENSE).',
    '## Installed with it',
    table(installed()),
    '## Part of the program',
    'Parts of these packages are in the files of `dist/`. Their licence texts are in `dist/THIRD-PARTY-LICENSES.txt` of the published package. A build fails if a package has no licence text.',
    table(bundled()),
  ];
  return `${parts.join('\n\n')}\n`;
}

it('docs/reference/licences.md lists what is built in', () => {
  expectGenerated('docs/reference/licences.md', page());
});

it('nothing is built in whose licence asks for more than its text', () => {
  const known = new Set(['Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);
  expect(bundled().filter(([, licence]) => !known.has(licence))).toEqual([]);
});
