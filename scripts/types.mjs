// Writes the types of each import of the package as one file: `node scripts/types.mjs`. tsc builds them from the sources,
// and rollup joins them with the types of zod that they name, so users install neither their modules nor zod.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';

const IMPORTS = {
  index: 'index.d.ts',
  engine: 'lab/api.d.ts',
  engines: 'lab/portable/api.d.ts',
  hooks: 'lab/hooks/api.d.ts',
};

/** What TypeScript builds, until rollup has joined it. It is inside the package, so that the types of libraries are found. */
const built = path.resolve('dist/types/built');
try {
  emitAll(Object.values(IMPORTS).map((file) => path.join(built, file)));
  await join();
} finally {
  rmSync(built, { recursive: true });
}

/** Writes these types and those that they import, which are a part of the program. */
function emitAll(files) {
  const { config } = ts.readConfigFile('tsconfig.types.json', ts.sys.readFile);
  // `npm run check` has checked the types, which would take as long again.
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, '.', { noCheck: true, outDir: built });
  const program = ts.createProgram(fileNames, options);
  const found = new Set(files);
  for (const file of found) for (const imported of emit(program, file)) found.add(imported);
}

/** Writes the types of one source, and returns the files of those that they import. */
function emit(program, file) {
  const base = path.resolve('src', path.relative(built, file)).replace(/\.d\.ts$/, '');
  const source = program.getSourceFile(`${base}.ts`) ?? program.getSourceFile(`${base}.tsx`);
  if (!source) throw new Error(`no source has the types ${file}`);
  let text = '';
  program.emit(source, (_, content) => (text = content), undefined, true);
  ts.sys.writeFile(file, text);
  return ts.preProcessFile(text).importedFiles.flatMap(({ fileName }) => builtFile(fileName, file) ?? []);
}

/** The file of an import of the sources, as `#room/file.js` or `./file.js`; undefined for a package. */
function builtFile(name, importer) {
  const folder = name.startsWith('#') ? built : path.dirname(importer);
  return /^[#.]/.test(name) ? path.join(folder, name.replace(/^#/, '').replace(/\.js$/, '.d.ts')) : undefined;
}

async function join() {
  const { ModuleKind, ModuleResolutionKind } = ts;
  const compilerOptions = { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler };
  const bundle = await rollup({
    input: Object.fromEntries(Object.entries(IMPORTS).map(([name, file]) => [name, path.join(built, file)])),
    external: [/^node:/, 'ai', '@duckdb/node-api'],
    plugins: [fromSources(), dts({ includeExternal: ['zod'], compilerOptions })],
    onLog: (_level, log) => refuse(log),
  });
  const names = { entryFileNames: '[name].d.ts', chunkFileNames: '[name]-[hash].d.ts' };
  await bundle.write({ dir: 'dist/types', format: 'es', ...names });
}

function fromSources() {
  const resolve = (name, importer) => (name.startsWith('#') ? builtFile(name, importer) : undefined);
  return { name: 'from-sources', resolveId: { order: 'pre', handler: resolve } };
}

/** Throws for an import that would be missing at the user's. The plugin also lists types that have no name of their own. */
function refuse({ code, message }) {
  if (code !== 'PLUGIN_WARNING' || !message.includes('private shared type exports')) throw new Error(message);
}
