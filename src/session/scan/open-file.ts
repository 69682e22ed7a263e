import fs from 'node:fs';
import { CtxError } from '#base/errors.js';
import { type ByteSource, bytesIn } from './bytes.js';
import { countRead } from './heap.js';
import { readingAhead } from './read-ahead.js';

/** Opens a file for reading. Throws a CtxError (input) that says why it cannot. */
export async function openFile(file: string): Promise<ByteSource> {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, 'r');
  } catch (error) {
    throw cannotRead(file, error);
  }
  const stat = fs.fstatSync(descriptor);
  if (stat.isFile()) return fileSource(descriptor, stat.size, file);
  if (stat.isFIFO() || stat.isSocket()) return readAll(descriptor, file);
  fs.closeSync(descriptor);
  const what = stat.isDirectory() ? 'this is a folder' : 'this is a device';
  throw new CtxError('input', `${what}, not a session file`, { where: file, hint: 'name a .jsonl file' });
}

/** Reads at the size that the file had when it was opened. */
function fileSource(descriptor: number, size: number, file: string): ByteSource {
  const readInto = (target: Uint8Array, start: number): void => {
    for (let filled = 0; filled < target.length;) {
      const count = fs.readSync(descriptor, target, filled, target.length - filled, start + filled);
      if (count === 0)
        throw new CtxError('input', 'the file shrank while it was read', {
          where: file,
          hint: 'run the command again',
        });
      filled += count;
    }
  };
  const close = (): void => fs.closeSync(descriptor);
  return counted(file, { size, canBeReopened: true, read: readingAhead(readInto, size), readInto, close });
}

/** What is read to be parsed needs room in the heap. */
function counted(file: string, source: ByteSource): ByteSource {
  return {
    ...source,
    read(start, end) {
      countRead(file, end - start);
      return source.read(start, end);
    },
  };
}

/** All that a pipe or standard input gives. */
export async function readAll(descriptor: number, name: string): Promise<ByteSource> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of fs.createReadStream('', { fd: descriptor })) chunks.push(chunk as Buffer);
  } catch (error) {
    throw cannotRead(name, error);
  }
  return counted(name, bytesIn(Buffer.concat(chunks)));
}

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['no such file', 'check the path, or name a session by its id or as "latest"'],
  ENOTDIR: ['no such file', 'check the path'],
  EACCES: ['no permission to read this file', 'check its mode and owner'],
  EPERM: ['no permission to read this file', 'check its mode and owner'],
  EISDIR: ['this is a folder, not a session file', 'name a .jsonl file'],
  ELOOP: ['too many symbolic links', 'check the path'],
  ENAMETOOLONG: ['the name is too long for a file', 'check the path'],
};

function cannotRead(file: string, error: unknown): CtxError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const [what, hint] = REASONS[code] ?? [`the file cannot be read (${code})`, 'check the path'];
  return new CtxError('input', what, { where: file, hint });
}
