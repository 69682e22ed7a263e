// Plugins of esbuild that keep the start of the command line short: it loads one chunk, and no module of Node without need.
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, relative } from 'node:path';

const root = dirname(import.meta.dirname);

/**
 * Makes one chunk of all that the command line needs at once. esbuild writes a chunk for each set of entry points, so
 * every part that is loaded later is an entry point that imports the command line too.
 */
export function oneCore(main) {
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
      const lines = [`import './${main}';`, `export * from ${file};`];
      if (hasDefault) lines.push(`export { default } from ${file};`);
      return { contents: lines.join('\n'), resolveDir: root };
    });
  };
  return { name: 'one-core', setup };
}

/**
 * Takes from Node's modules only the exports in use: an import by name reads all of them, which loads streams and network.
 * commander could start subcommands as programs of their own; ctx has none, so it goes without `child_process`.
 */
export function builtins() {
  const setup = ({ onLoad, onResolve }) => {
    onResolve({ filter: new RegExp(`^(node:)?(${builtinModules.join('|')})$`) }, ({ path, importer }) => {
      if (importer.includes('/commander/') && path.endsWith('child_process')) return moduleOf('module.exports = {};');
      return importer.includes('/node_modules/') ? { path, external: true } : { path, namespace: 'builtin' };
    });
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

/** A text as a module, which esbuild reads from its address. */
export function moduleOf(text) {
  return { path: `data:text/javascript,${encodeURIComponent(text)}`, namespace: 'dataurl' };
}
