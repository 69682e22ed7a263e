// Bundles the command line and the library with esbuild: `node build.mjs [--all]`.
import { rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { licences, packagesOf } from './scripts/licences.mjs';
import { sbom } from './scripts/sbom.mjs';
import { builtins, moduleOf, oneCore } from './scripts/start-up.mjs';
import { bundlePage } from './src/ui/report/page/bundle.mjs';

/** The command line, which jobs on threads load too. */
const MAIN = 'src/main.ts';
/** Programs that a process or a thread of its own runs, and a module with far more of the shared libraries than the rest. */
const PROGRAMS = {
  plugin: 'src/lab/hooks/plugin/program.ts',
  'part-scan': 'src/session/scan/parallel/thread.ts',
  'inside-agent': 'src/inside-agent.ts',
  'model-client': 'src/change/compact/summarizers/model-client.ts',
  // tinypool looks for this file beside the one that it is bundled into.
  'entry/worker': 'node_modules/tinypool/dist/entry/worker.js',
};
const LIBRARY = {
  index: 'src/index.ts',
  hooks: 'src/lab/hooks/api.ts',
  engine: 'src/lab/api.ts',
  engines: 'src/lab/portable/api.ts',
};
/** The extension of Pi, which loads no more than it needs. */
const EXTENSION = { extension: 'src/pi-extension.ts' };
/** The command line is beside the extension, which loads it at the first command. */
const BESIDE = { filter: /^\.\/main\.js$/, by: () => ({ path: '../cli/main.js', external: true }) };
/** Pi compiles what it loads with jiti, so it loads this, which loads the bundle as it is. */
const LOADER = `import { createRequire } from 'node:module';
export default createRequire(import.meta.url)('./live/extension.js').default;
`;
/** Megabytes of tokenizers, which the command line and the library share. */
const VOCABULARIES = ['o200k_base', 'cl100k_base'];
/** What takes the place of an import: a bundle that is built on its own, or the report page as a text. */
const REPLACED = [
  { filter: /\/model-client\.js$/, by: () => ({ path: './model-client.js', external: true }) },
  {
    filter: /^gpt-tokenizer\/encoding\//,
    by: (name) => ({ path: `../vocabularies/${lastOf(name)}.js`, external: true }),
  },
  { filter: /\/page-bundle\.js$/, by: () => moduleOf(page.contents) },
];

const options = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // Names stay, for stack traces and for readers of the package: that costs 0.5 MB packed, and nothing at the start.
  minifySyntax: true,
  // Without spaces, the package and its dependencies have less than 20 MB where they are installed.
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'none',
  metafile: true,
  // These packages load files of their own.
  external: ['jiti', '@duckdb/node-api', 'node-sqlite3-wasm'],
};
const program = {
  ...options,
  outdir: 'dist/cli',
  // Libraries in CommonJS require modules of Node.
  banner: {
    js: "import{createRequire as requireOfBundle}from'node:module';const require=requireOfBundle(import.meta.url);",
  },
};

// The types are built by tsc, so they stay, unless the package is packed.
const old = process.argv.includes('--all') ? ['dist'] : ['dist/cli', 'dist/index', 'dist/live', 'dist/vocabularies'];
for (const folder of old) await rm(folder, { recursive: true, force: true });
const page = await bundlePage();
const bundles = await Promise.all([
  build({
    ...program,
    splitting: true,
    entryPoints: { main: MAIN },
    chunkNames: '[name]-[hash]',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Ink shows nothing where it takes a terminal for a build server, and knows tools for its developers.
    alias: { 'is-in-ci': 'data:text/javascript,export default false', 'react-devtools-core': 'data:text/javascript,' },
    plugins: [replaced(), builtins(), oneCore(MAIN)],
  }),
  build({ ...program, minify: true, entryPoints: PROGRAMS, plugins: [builtins()] }),
  build({
    ...options,
    splitting: true,
    entryPoints: LIBRARY,
    outdir: 'dist',
    banner: program.banner,
    chunkNames: 'index/[name]-[hash]',
    plugins: [replaced()],
  }),
  build({
    ...program,
    splitting: true,
    minify: true,
    entryPoints: EXTENSION,
    outdir: 'dist/live',
    chunkNames: '[name]-[hash]',
    plugins: [replaced(BESIDE), builtins()],
  }),
  build({
    ...options,
    minify: true,
    entryPoints: Object.fromEntries(VOCABULARIES.map((name) => [name, `gpt-tokenizer/encoding/${name}`])),
    outdir: 'dist/vocabularies',
  }),
]);
const inputs = [...page.inputs, ...bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs))];
const files = inputs.filter((input) => !input.startsWith('later:'));
await writeFile('dist/pi-extension.js', LOADER);
const packages = await packagesOf(files);
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await licences(packages));
await writeFile('dist/sbom.cdx.json', await sbom(packages));

function replaced(...others) {
  const setup = ({ onResolve }) => {
    for (const { filter, by } of [...REPLACED, ...others]) onResolve({ filter }, ({ path }) => by(path));
  };
  return { name: 'replaced', setup };
}

function lastOf(path) {
  return path.split('/').at(-1);
}
