// Compiles the line scanner and writes it down as text, so that neither an installation nor a bundle needs the compiler.
//
//   npm run wasm
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const source = 'line-scanner.as.ts';
/** The reader brings the memory, and there is nothing to allocate. */
const ENVIRONMENT = ['--runtime', 'stub', '--importMemory', '--initialMemory', '8', '--enable', 'simd'];
export const generated = fileURLToPath(new URL('../session/line-scanner.wasm.ts', import.meta.url));

/** The text of the generated file. */
export async function compiled() {
  let wasm = new Uint8Array();
  const { error } = await asc.main(
    [source, '--outFile', 'out.wasm', '-O3', '--converge', '--noAssert', ...ENVIRONMENT],
    {
      readFile: (name) => (name === source ? readFile(new URL(source, import.meta.url), 'utf8') : null),
      writeFile: (_name, contents) => (wasm = contents),
      listFiles: () => [],
    },
  );
  if (error) throw error;
  return `/** The WebAssembly of src/wasm/${source} in base64; \`npm run wasm\` writes it. */\nexport const LINE_SCANNER =\n  '${Buffer.from(wasm).toString('base64')}';\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(generated, await compiled());
