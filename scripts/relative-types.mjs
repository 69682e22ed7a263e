// Writes the imports of the types that tsc built as relative paths: those of the sources (`#room/file.js`) are not published.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const FOLDER = 'dist/types';
for (const name of await readdir(FOLDER, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const up = path.posix.relative(path.posix.dirname(name), '.') || '.';
  const text = await readFile(path.join(FOLDER, name), 'utf8');
  await writeFile(path.join(FOLDER, name), text.replaceAll(/(['"])#([\w-]+\/)/g, `$1${up}/$2`));
}
