// Compiles what is written in AssemblyScript and writes it down as text, so that neither an installation nor a bundle
// needs the compiler.
//
//   npm run wasm
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

/** Who loads a module brings its memory, and there is nothing to allocate. */
const ENVIRONMENT = ['--runtime', 'stub', '--importMemory', '--initialMemory', '8', '--enable', 'simd'];
const OPTIONS = ['-O3', '--converge', '--noAssert', ...ENVIRONMENT];

export const modules = [
  { source: 'line-fields.as.ts', name: 'LINE_FIELDS', generated: generatedFile('line-fields') },
  { source: 'line-scanner.as.ts', name: 'LINE_SCANNER', generated: generatedFile('line-scanner') },
  { source: 'literal-finder.as.ts', name: 'LITERAL_FINDER', generated: generatedFile('literal-finder') },
  { source: 'text-finder.as.ts', name: 'TEXT_FINDER', generated: generatedFile('text-finder') },
];

function generatedFile(name) {
  return fileURLToPath(new URL(`${name}.wasm.ts`, import.meta.url));
}

/** What each generated file names: the hash of the compiler, its options and all sources. */
export async function hashSources() {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const sources = (await readdir(folder)).filter((name) => name.endsWith('.as.ts')).toSorted();
  const hash = createHash('sha256').update([asc.version, ...OPTIONS].join(' '));
  for (const name of sources) hash.update(name).update(await readFile(new URL(name, import.meta.url)));
  return hash.digest('hex');
}

/** The text of the generated file. */
export async function compiled({ source, name }) {
  let wasm = new Uint8Array();
  const { error } = await asc.main([source, '--outFile', 'out.wasm', ...OPTIONS], {
    // The compiler also asks for files that may exist.
    readFile: (file) => readFile(new URL(file, import.meta.url), 'utf8').catch(() => null),
    writeFile: (_file, contents) => (wasm = contents),
    listFiles: () => [],
  });
  if (error) throw error;
  return [
    `/** The WebAssembly of src/session/wasm/${source} in base64; \`npm run wasm\` writes it. */`,
    `// compiled from ${await hashSources()}`,
    `export const ${name} =`,
    `  '${Buffer.from(wasm).toString('base64')}';`,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const module of modules) await writeFile(module.generated, await compiled(module));
