// Bundles the command line and the library. Our own code is one file of each, which loads faster than many
// small ones; what needs a heavy library is a file of its own, loaded when it is used.
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

/**
 * Takes Node's modules without the wrapper that an import puts around them, which loads much that is not used.
 * commander would start programs for subcommands that are programs of their own; we have none, so it goes without.
 */
const builtins = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = ${path === 'node:child_process' ? '{}' : `process.getBuiltinModule('${path}')`};`,
    }));
  },
};

const options = {
  bundle: true,
  outdir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
};

for (const old of ['dist/main', 'dist/index']) await rm(old, { recursive: true, force: true });
const bundles = await Promise.all([
  build({ ...options, entryPoints: { ctx: 'src/cli.ts' }, external: ['./main.js'] }),
  build({
    ...options,
    entryPoints: { main: 'src/main.ts' },
    splitting: true,
    chunkNames: 'main/[name]-[hash]',
    plugins: [builtins],
  }),
  build({ ...options, entryPoints: { index: 'src/index.ts' }, splitting: true, chunkNames: 'index/[name]-[hash]' }),
]);
await writeFile(
  'dist/THIRD-PARTY-LICENSES.txt',
  await licences(bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs))),
);

/** The licences of all packages whose files became part of a bundle. */
async function licences(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const texts = [...folders]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map(async (folder) => {
      const { name, version } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
      const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
      if (!file) throw new Error(`${name} comes without a licence`);
      return `${name} ${version}\n\n${await readFile(`${folder}/${file}`, 'utf8')}`;
    });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
