// Bundles the command line and the library with esbuild: `node build.mjs [--all]`.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { relative } from 'node:path';
import { build } from 'esbuild';
import { licences, packagesOf } from './scripts/licences.mjs';
import { sbom } from './scripts/sbom.mjs';
import { inkMemory } from './src/ui/explore/ink/ink-memory.mjs';
import { bundlePage } from './src/ui/report/page/bundle.mjs';

/** The command line, which jobs on threads load too. */
const MAIN = 'src/main.ts';
/** Programs that a process or a thread of its own runs, and a module with far more of the shared libraries than the rest. */
const PROGRAMS = {
  guest: 'src/engines/hooks/guest/program.ts',
  'part-scan': 'src/session/scan/parallel/program.ts',
  'model-client': 'src/change/compact/summarizers/model-client.ts',
  // tinypool looks for this file beside the one that it is bundled into.
  'entry/worker': 'node_modules/tinypool/dist/entry/worker.js',
};
const LIBRARY = {
  index: 'src/index.ts',
  hooks: 'src/engines/hooks/api.ts',
  engine: 'src/engines/api.ts',
  engines: 'src/engines/portable/api.ts',
};
/** The extension of Pi, which loads no more than it needs, and the command line at its first command. */
const EXTENSION = { extension: 'src/live/extension.ts' };
/** Pi compiles what it loads with jiti, so it loads this, which loads the bundle as it is. */
const LOADER = `import { createRequire } from 'node:module';
export default createRequire(import.meta.url)('./live/extension.js').default;
`;
/** Megabytes of tokenizers, which the command line and the library share. */
const VOCABULARIES = ['o200k_base', 'cl100k_base'];
/** Imports of bundles that are built on their own, and their paths from the folder of the importer. */
const APART = [
  { filter: /\/model-client\.js$/, path: () => './model-client.js' },
  { filter: /^gpt-tokenizer\/encoding\//, path: (name) => `../vocabularies/${name.split('/').at(-1)}.js` },
];

const options = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // Names stay, for stack traces and for readers of the package: that costs 0.5 MB packed, and nothing at the start.
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  // These packages load files of their own.
  external: ['jiti', '@duckdb/node-api'],
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
    plugins: [apart(), builtins(), reportPage(), oneCore(), inkMemory()],
  }),
  build({ ...program, minify: true, entryPoints: PROGRAMS, plugins: [builtins()] }),
  build({
    ...options,
    splitting: true,
    entryPoints: LIBRARY,
    outdir: 'dist',
    banner: program.banner,
    chunkNames: 'index/[name]-[hash]',
    plugins: [apart()],
  }),
  build({
    ...program,
    splitting: true,
    minify: true,
    entryPoints: EXTENSION,
    outdir: 'dist/live',
    chunkNames: '[name]-[hash]',
    plugins: [apart(), builtins()],
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

/** Leaves imports of other bundles as they are. */
function apart() {
  const setup = ({ onResolve }) => {
    for (const { filter, path } of APART)
      onResolve({ filter }, ({ path: name }) => ({ path: path(name), external: true }));
  };
  return { name: 'apart', setup };
}

/**
 * Makes one chunk of all that the command line needs at once. esbuild writes a chunk for each set of entry points, so
 * every part that is loaded later is an entry point that imports the command line too.
 */
function oneCore() {
  const setup = ({ onLoad, onResolve, resolve }) => {
    onResolve({ filter: /./ }, async ({ path: name, kind, importer, namespace, resolveDir }) => {
      if (kind !== 'dynamic-import' || namespace !== 'file' || importer.includes('/node_modules/')) return undefined;
      const { path, external } = await resolve(name, { kind: 'import-statement', importer, resolveDir });
      // The path is relative, since it is part of the names of chunks: a build is equal wherever the folder is.
      return external ? { path, external } : { path: relative('.', path), namespace: 'later' };
    });
    onLoad({ filter: /./, namespace: 'later' }, async ({ path }) => {
      const file = JSON.stringify(`./${path}`);
      const hasDefault = /^export (default|\{.*\bdefault\b)|^module\.exports/m.test(await readFile(path, 'utf8'));
      const lines = [`import './${MAIN}';`, `export * from ${file};`];
      if (hasDefault) lines.push(`export { default } from ${file};`);
      return { contents: lines.join('\n'), resolveDir: import.meta.dirname };
    });
  };
  return { name: 'one-core', setup };
}

/**
 * Takes from Node's modules only the exports in use: an import by name reads all of them, which loads streams and network.
 * commander could start subcommands as programs of their own; ctx has none, so it goes without `child_process`.
 */
function builtins() {
  const setup = ({ onLoad, onResolve }) => {
    onResolve({ filter: new RegExp(`^(node:)?(${builtinModules.join('|')})$`) }, ({ path, importer }) => {
      if (importer.includes('/commander/') && path.endsWith('child_process')) return { path, namespace: 'nothing' };
      return importer.includes('/node_modules/') ? { path, external: true } : { path, namespace: 'builtin' };
    });
    onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ contents: exportsOf(path) }));
  };
  return { name: 'builtins', setup };
}

/** A module of Node as an ES module of which a bundle keeps only the exports in use. */
function exportsOf(name) {
  const names = Object.keys(process.getBuiltinModule(name)).filter((key) => key !== 'default');
  return [
    `const all = /* @__PURE__ */ process.getBuiltinModule('${name}');`,
    'const one = (key) => all[key];',
    'export default all;',
    ...names.map((key) => `export const ${key} = /* @__PURE__ */ one('${key}');`),
  ].join('\n');
}

/** The report page runs in a browser: its bundle is a text in the command line, which writes the page. */
function reportPage() {
  const setup = ({ onLoad, onResolve }) => {
    onResolve({ filter: /\/page-bundle\.js$/ }, () => ({ path: 'page-bundle', namespace: 'report-page' }));
    onLoad({ filter: /./, namespace: 'report-page' }, () => ({ contents: page.contents }));
  };
  return { name: 'report-page', setup };
}
