// Bundles the command line and the library. Our own code is one file of each, which loads faster than many
// small ones; what needs a heavy library is a file of its own, loaded when it is used.
import { rm } from 'node:fs/promises';
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
  legalComments: 'linked',
};

await rm('dist', { recursive: true, force: true });
await build({ ...options, entryPoints: { ctx: 'src/cli.ts' }, external: ['./main.js'] });
await build({
  ...options,
  entryPoints: { main: 'src/main.ts' },
  splitting: true,
  chunkNames: 'main/[name]-[hash]',
  plugins: [builtins],
});
await build({
  ...options,
  entryPoints: { index: 'src/index.ts' },
  splitting: true,
  chunkNames: 'index/[name]-[hash]',
});
