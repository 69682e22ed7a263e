// Bundles the command line and the library. The command line is CommonJS, which Node starts fastest, in few files:
// one with what nearly every run needs, and one for each command and library beyond that, loaded when it is used.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { bundlePage } from './src/ui/report/page/bundle.mjs';
import { writeBigSession } from './test/bench/big-session.mjs';

const FOLDER = 'dist/cli';
/** The name under which all parts of a file are bundled. */
const WHOLE = /^all of (.*)$/;

/** Packages that name the MIT licence but leave its text out, and where it stands for others of the same holder. */
const SAME_AS = new Map([['yoga-layout', 'node_modules/react/LICENSE']]);

/** Of tokenizers: megabytes that the command line and the library share. */
const VOCABULARIES = ['o200k_base', 'cl100k_base'];

const options = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  minify: true,
  legalComments: 'none',
  metafile: true,
  // They load their own files, so they stay packages of their own. What shows screens is a bundle of ES modules beside the program.
  external: [
    'jiti',
    '@duckdb/node-api',
    '../ink/load.cjs',
    ...VOCABULARIES.map((name) => `../vocabularies/${name}.cjs`),
  ],
};
const commonJs = {
  ...options,
  format: 'cjs',
  outdir: FOLDER,
  // Node's own import() would start a loader for ES modules.
  supported: { 'dynamic-import': false },
};
/** For the few files that ask where they are, which CommonJS knows in another way. */
const knowingItsPlace = {
  define: { 'import.meta.url': 'OWN_URL' },
  banner: { js: "const OWN_URL=process.getBuiltinModule('node:url').pathToFileURL(__filename).href;" },
};

/** Ink waits for things while it is loaded, which only ES modules can. */
const inkOptions = {
  entryPoints: { show: 'src/ui/explore/ink/show.tsx' },
  outdir: 'dist/ink',
  outExtension: { '.js': '.mjs' },
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  plugins: [
    // Ink shows nothing where it takes a terminal for a build server, and knows tools for its developers.
    replaced(/^is-in-ci$/, 'export default false;'),
    replaced(/^react-devtools-core$/, 'export default {};'),
  ],
};

// The types are not written here, so they stay, unless all is made anew to be packed.
const old = process.argv.includes('--all') ? ['dist'] : ['dist/cli', 'dist/index', 'dist/ink', 'dist/vocabularies'];
for (const folder of old) await rm(folder, { recursive: true, force: true });
// The imports of the sources are also those of their types.
await mkdir('dist/types', { recursive: true });
await writeFile('dist/types/package.json', '{"type":"module","imports":{"#*":"./*"}}\n');
const page = await bundlePage();
const parts = await build({
  ...options,
  splitting: true,
  entryPoints: { main: 'src/main.ts' },
  outdir: FOLDER,
  chunkNames: '[name]-[hash]',
  write: false,
  plugins: [apart(), vocabularies(), builtins(), reportPage()],
});
const library = {
  ...options,
  splitting: true,
  entryPoints: { index: 'src/index.ts', hooks: 'src/engines/hooks/api.ts', engine: 'src/engines/api.ts' },
  outdir: 'dist',
  plugins: [vocabularies()],
};
const bundles = await Promise.all([
  build({ ...commonJs, entryPoints: { version: 'src/cli/print-version.ts' } }),
  build({
    ...commonJs,
    entryPoints: { 'model-client': 'src/change/compact/summarizers/model-client.ts' },
    plugins: [builtins()],
  }),
  // A process of its own runs it, with a module of the user.
  build({ ...commonJs, entryPoints: { guest: 'src/platform/guest/inside/program.ts' } }),
  build({ ...commonJs, entryPoints: { 'part-scan': 'src/session/scan/parallel/program.ts' } }),
  // tinypool's threads load a file of this name beside the one that tinypool is in.
  build({ ...commonJs, entryPoints: { 'entry/worker': 'node_modules/tinypool/dist/entry/worker.js' } }),
  build({ ...library, chunkNames: 'index/[name]-[hash]' }),
  build({
    ...commonJs,
    entryPoints: VOCABULARIES.map((name) => ({ out: name, in: `gpt-tokenizer/encoding/${name}` })),
    outdir: 'dist/vocabularies',
    outExtension: { '.js': '.cjs' },
  }),
  build({ ...options, ...inkOptions }),
]);
await writeParts(parts);
await writeFile(`${FOLDER}/package.json`, '{"type":"commonjs"}\n');
await writeFile('dist/ink/load.cjs', "exports.load = () => import('./show.mjs');\n");
await writeFile(
  'dist/THIRD-PARTY-LICENSES.txt',
  await licences([...page.inputs, ...[parts, ...bundles].flatMap(({ metafile }) => Object.keys(metafile.inputs))]),
);

// What runs compile is kept beside the program. A process of its own does that, since nothing may be loaded before. What a
// big session needs is another part of the program than what a small one does.
const temporary = await mkdtemp(path.join(tmpdir(), 'ctx-build-'));
const big = path.join(temporary, 'big.jsonl');
writeBigSession(big, { size: 400_000, compactEvery: 20 });
const small = 'fixtures/weather.jsonl';
const shows = [big, small].map((file) => ['show', file]);
const others = [
  ['check', small, '--requests', 'all'],
  ['tree', big, '--json'],
  ...['log', 'tree', 'diff'].map((name) => [name, small]),
];
const compile = `require('./bin/ctx.js').compile(${JSON.stringify(shows)}, ${JSON.stringify(others)})`;
const { status } = spawnSync(process.execPath, ['--eval', compile], { stdio: ['ignore', 'ignore', 'inherit'] });
await rm(temporary, { recursive: true });
if (status !== 0) throw new Error('the program that was built does not run');

/** The program of the report page runs in a browser: it is a bundle of its own, and a text for the program that writes the page. */
function reportPage() {
  return {
    name: 'report-page',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/page-bundle\.js$/ }, () => ({ path: 'page-bundle', namespace: 'report-page' }));
      onLoad({ filter: /./, namespace: 'report-page' }, () => ({ contents: page.contents }));
    },
  };
}

/** A package in whose place something else is bundled. */
function replaced(filter, contents) {
  return {
    name: 'replaced',
    setup({ onResolve, onLoad }) {
      onResolve({ filter }, ({ path: name }) => ({ path: name, namespace: contents }));
      onLoad({ filter: /./, namespace: contents }, () => ({ contents }));
    },
  };
}

/** What shares libraries with the rest, but needs far more of them, is a bundle of its own: the rest stays small. */
function apart() {
  return {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter: /\/model-client\.js$/ }, () => ({ path: './model-client.js', external: true }));
      onResolve({ filter: /\/ink\/load\.js$/ }, () => ({ path: '../ink/load.cjs', external: true }));
    },
  };
}

/** Both load the vocabularies from a folder beside their own, and only when they count with them. */
function vocabularies() {
  return {
    name: 'vocabularies',
    setup({ onResolve }) {
      onResolve({ filter: /^gpt-tokenizer\/encoding\// }, ({ path: name, kind }) =>
        kind === 'entry-point' ? undefined : { path: `../vocabularies/${path.basename(name)}.cjs`, external: true },
      );
    },
  };
}

/**
 * Takes Node's modules without the wrapper that an import puts around them, which loads much that is not used.
 * commander would start programs for subcommands that are programs of their own; we have none, so it goes without.
 */
function builtins() {
  return {
    name: 'builtins',
    setup({ onResolve, onLoad }) {
      // Some libraries leave out the prefix.
      onResolve({ filter: new RegExp(`^(node:)?(${builtinModules.join('|')})$`) }, ({ path: name, importer }) => ({
        path: name.startsWith('node:') ? name : `node:${name}`,
        namespace: namespaceFor(name, importer),
      }));
      onLoad({ filter: /./, namespace: 'ours' }, ({ path: name }) => ({ contents: exportsOf(name) }));
      onLoad({ filter: /./, namespace: 'builtin' }, ({ path: name }) => ({
        contents: `module.exports = process.getBuiltinModule('${name}');`,
      }));
      onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
    },
  };
}

function namespaceFor(name, importer) {
  if (!importer.includes('/node_modules/')) return 'ours';
  return name.endsWith('child_process') && importer.includes('/commander/') ? 'nothing' : 'builtin';
}

/** A module of Node as an ES module, of which only what is used stays in a bundle. Libraries may want all of it. */
function exportsOf(name) {
  const names = Object.keys(process.getBuiltinModule(name)).filter((key) => key !== 'default');
  return [
    `const all = /* @__PURE__ */ process.getBuiltinModule('${name}');`,
    'const one = (key) => all[key];',
    'export default all;',
    ...names.map((key) => `export const ${key} = /* @__PURE__ */ one('${key}');`),
  ].join('\n');
}

/** esbuild splits only ES modules, and into many small files. What is needed at the same time becomes one file of them. */
async function writeParts({ outputFiles, metafile }) {
  const texts = new Map(outputFiles.map(({ path: file, text }) => [path.basename(file), text]));
  const files = { 'main.js': 'main.js', 'patch.js': [...texts.keys()].find((name) => name.startsWith('read-patch-')) };
  const homes = new Map();
  for (const [file, first] of Object.entries(files)) {
    const own = [...neededBy(first, metafile)].filter((name) => !homes.has(name));
    for (const [at, name] of own.entries()) homes.set(name, { file, at });
  }
  const bundled = { ...commonJs, plugins: [fromParts(texts, homes)] };
  for (const file of Object.keys(files))
    await build({ ...bundled, entryPoints: { [path.parse(file).name]: `all of ${file}` } });
  await inAscii(`${FOLDER}/main.js`);
  for (const [name, text] of texts) {
    const more = text.includes('import.meta.url') ? knowingItsPlace : {};
    if (!homes.has(name)) await build({ ...bundled, ...more, entryPoints: [name] });
  }
}

/** Parts, where `homes` says which are put into one file, and which number each has there. Other files take them from it. */
function fromParts(texts, homes) {
  const fileOf = (importer) => WHOLE.exec(importer)?.[1] ?? homes.get(importer)?.file;
  return {
    name: 'parts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path: wanted, kind, importer, namespace }) => {
        const name = path.basename(wanted);
        if (options.external.includes(wanted)) return { path: wanted, external: true };
        if (kind === 'entry-point') return { path: name, namespace: 'part' };
        if (namespace === 'taken') return { path: wanted, external: true };
        if (!homes.has(name)) return { path: `./${name}`, external: true };
        return { path: name, namespace: homes.get(name).file === fileOf(importer) ? 'part' : 'taken' };
      });
      onLoad({ filter: /./, namespace: 'taken' }, ({ path: name }) => ({
        contents: `module.exports = require('./${homes.get(name).file}').part${homes.get(name).at};`,
      }));
      onLoad({ filter: WHOLE, namespace: 'part' }, ({ path: name }) => ({
        contents: exportsOfAll(fileOf(name), homes),
      }));
      onLoad({ filter: /./, namespace: 'part' }, ({ path: name }) => ({ contents: texts.get(name) }));
    },
  };
}

/** A file of several parts exports each of them under its number; the program is one, and its exports are those of the file too. */
function exportsOfAll(file, homes) {
  const own = [...homes].filter(([, home]) => home.file === file);
  const lines = own.map(([name, { at }]) => `export * as part${at} from './${name}';`);
  const ofProgram = [`export * from './${file}';`, `export { default } from './${file}';`];
  return [...(homes.has(file) ? ofProgram : []), ...lines].join('\n');
}

/** One letter beyond Latin 1 makes V8 hold a text in twice the bytes, and esbuild leaves them in regular expressions. */
async function inAscii(file) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  await writeFile(file, (await readFile(file, 'utf8')).replace(/[^\0-\x7f]/g, escaped));
}

/** A file and all that it imports at once. */
function neededBy(first, { outputs }) {
  const needed = new Set([first]);
  for (const name of needed) {
    for (const { path: file, kind } of outputs[`${FOLDER}/${name}`].imports)
      if (kind === 'import-statement') needed.add(path.basename(file));
  }
  return needed;
}

/** The licences of all packages whose files became part of a bundle. */
async function licences(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const texts = [...folders]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
      const file = (await licenceIn(folder)) ?? (await licenceOfRepository(folder, folders)) ?? SAME_AS.get(name);
      if (!file) throw new Error(`${name} comes without a licence`);
      return `${name} ${version} (${license})\n\n${await readFile(file, 'utf8')}`;
    });
  const rules = `gitleaks 2026.7.22 (MIT)\n\n${await readFile('src/analysis/secrets/gitleaks/LICENSE', 'utf8')}`;
  return [...(await Promise.all(texts)), rules].join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenceIn(folder) {
  const name = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  return name && `${folder}/${name}`;
}

/** Of another package of the same licence out of the same repository. */
async function licenceOfRepository(folder, folders) {
  const read = async (of) => JSON.parse(await readFile(`${of}/package.json`, 'utf8'));
  const { repository, license } = await read(folder);
  for (const other of folders) {
    const its = await read(other);
    if (its.repository?.url !== repository?.url || its.license !== license) continue;
    const file = await licenceIn(other);
    if (file) return file;
  }
  return undefined;
}
