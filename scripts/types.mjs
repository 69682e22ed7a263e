// Writes the types of each import of the package as one file: `node scripts/types.mjs`. tsc builds them from the sources,
// and rollup joins them with the types of zod that they name, so users install neither their modules nor zod.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { execaSync } from 'execa';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';

const IMPORTS = {
  index: 'index.d.ts',
  engine: 'engines/api.d.ts',
  engines: 'engines/portable/api.d.ts',
  hooks: 'engines/hooks/api.d.ts',
};

/** The output of tsc, until rollup has joined it. It is inside the package, so that the types of libraries are found. */
const built = path.resolve('dist/types/built');
try {
  // `npm run check` has checked the types, which would take as long again.
  const options = ['-p', 'tsconfig.types.json', '--noCheck', '--outDir', built];
  execaSync('tsc', options, { stdio: 'inherit', preferLocal: true });
  await join();
} finally {
  rmSync(built, { recursive: true });
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

/** Resolves imports of the sources, as `#room/file.js`. */
function fromSources() {
  const resolve = (name) =>
    name.startsWith('#') ? path.join(built, name.slice(1).replace(/\.js$/, '.d.ts')) : undefined;
  return { name: 'from-sources', resolveId: { order: 'pre', handler: resolve } };
}

/** Throws for an import that would be missing at the user's. The plugin also lists types that have no name of their own. */
function refuse({ code, message }) {
  if (code !== 'PLUGIN_WARNING' || !message.includes('private shared type exports')) throw new Error(message);
}
