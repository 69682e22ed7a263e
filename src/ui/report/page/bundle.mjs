// Bundles the program and the style of the report page into a module that the report is written from.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);

/** The text of the module, and the files that went into it. */
export async function bundlePage() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: path.resolve(folder, '../../../..'),
    entryPoints: { page: path.join(folder, 'main.tsx'), style: path.join(folder, 'style.css') },
    outdir: 'page',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    jsx: 'automatic',
    // Components are written against React; Preact keeps the page small.
    alias: { react: 'preact/compat' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const textOf = (ending) => outputFiles.find(({ path: file }) => file.endsWith(ending))?.text ?? '';
  const script = textOf('.js').trim();
  const style = `${await colors()}${textOf('.css').trim()}`;
  const exported = { script, style, scriptHash: hashOf(script), styleHash: hashOf(style) };
  return { contents: `export const page = ${JSON.stringify(exported)};\n`, inputs: Object.keys(metafile.inputs) };
}

/** The colours that the page shares with the terminal. */
async function colors() {
  const { outputFiles } = await build({
    entryPoints: [path.join(folder, '../../palette.ts')],
    bundle: true,
    write: false,
    format: 'esm',
  });
  const { formatPageColors } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return formatPageColors();
}

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
