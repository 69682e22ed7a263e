// Bundles the command line and the library. The command line is CommonJS, which Node starts fastest: what every
// run needs is in few files, and each command and each heavy library is a file of its own, loaded when it is used.
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, transform } from 'esbuild';

/**
 * Takes Node's modules without the wrapper that an import puts around them, which loads much that is not used.
 * commander would start programs for subcommands that are programs of their own; we have none, so it goes without.
 */
const builtins = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path: name }) => ({ path: name, namespace: 'builtin' }));
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path: name }) => ({
      contents: `module.exports = ${name === 'node:child_process' ? '{}' : `process.getBuiltinModule('${name}')`};`,
    }));
  },
};

const options = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  splitting: true,
};

await rm('dist', { recursive: true, force: true });
const program = await build({
  ...options,
  // Threads load the last two by name: ours, and the one that tinypool expects beside itself.
  entryPoints: {
    ctx: 'src/cli.ts',
    worker: 'src/jobs/worker.ts',
    'entry/worker': 'node_modules/tinypool/dist/entry/worker.js',
  },
  outdir: 'dist/cli',
  write: false,
  plugins: [builtins],
});
const library = await build({ ...options, entryPoints: { index: 'src/index.ts' }, outdir: 'dist' });

const OWN_URL = '__ownUrl';
const OWN_URL_OF_COMMON_JS = `const ${OWN_URL}=process.getBuiltinModule('node:url').pathToFileURL(__filename).href;`;

// esbuild splits only ES modules, so each file is made CommonJS afterwards.
await mkdir('dist/cli/entry', { recursive: true });
await writeFile('dist/cli/package.json', '{"type":"commonjs"}\n');
for (const { path: file, text } of program.outputFiles) {
  const { code } = await transform(text, { ...commonJs(), sourcefile: path.basename(file) });
  await writeFile(file, code.includes(OWN_URL) ? `${OWN_URL_OF_COMMON_JS}${code}` : code);
}
await writeFile(
  'dist/THIRD-PARTY-LICENSES.txt',
  await licences([program, library].flatMap(({ metafile }) => Object.keys(metafile.inputs))),
);

function commonJs() {
  const { target, platform, minifyWhitespace, minifySyntax, legalComments } = options;
  const supported = { 'dynamic-import': false };
  const define = { 'import.meta.url': OWN_URL };
  return { format: 'cjs', supported, define, target, platform, minifyWhitespace, minifySyntax, legalComments };
}

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
