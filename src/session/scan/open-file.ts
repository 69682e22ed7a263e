import fs from 'node:fs';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { type ByteSource, toByteSource } from './byte-source.js';
import { decompress, findCompression, MAGIC_BYTES, MOST_CONTENT_BYTES } from './compression.js';
import { countRead } from './heap.js';
import { KEPT_BYTES, KeptBeginning } from './kept-beginning.js';
import { buildReadAhead } from './read-ahead.js';

/**
 * Opens a file for reading, a compressed one as its content. Throws a CtxError (input) with the reason if it cannot.
 */
export async function openFile(file: string): Promise<ByteSource> {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, 'r');
  } catch (error) {
    throw buildReadError(file, error);
  }
  const stat = fs.fstatSync(descriptor);
  if (stat.isFile()) return openContent(buildFileSource(descriptor, stat.size, file), file);
  if (stat.isFIFO() || stat.isSocket()) return readStream(descriptor, file);
  fs.closeSync(descriptor);
  if (stat.isDirectory()) throw buildFolderError(file);
  throw new CtxError('input', 'this is a device, not a session file', { where: file, hint: 'pass a .jsonl file' });
}

/** The source itself, or if it is compressed, its content, which is kept in memory. */
function openContent(source: ByteSource, file: string): ByteSource {
  const first = new Uint8Array(Math.min(MAGIC_BYTES, source.size));
  source.readInto(first, 0);
  const compression = findCompression(first);
  if (!compression) return source;
  try {
    const bytes = new Uint8Array(Math.min(source.size, MOST_CONTENT_BYTES));
    source.readInto(bytes, 0);
    return countReads(file, { ...toByteSource(decompress(compression, bytes, file)), isFixed: true });
  } finally {
    source.close();
  }
}

/** A source with the size that the file had when it was opened. */
function buildFileSource(descriptor: number, size: number, file: string): ByteSource {
  const readFile = (target: Uint8Array, start: number): void => {
    for (let filled = 0; filled < target.length;) {
      const count = fs.readSync(descriptor, target, filled, target.length - filled, start + filled);
      if (count === 0)
        throw new CtxError('input', 'the file shrank while it was being read', {
          where: file,
          hint: 'run the command again',
        });
      filled += count;
    }
  };
  const kept = size <= KEPT_BYTES ? new KeptBeginning() : null;
  const readInto = (target: Uint8Array, start: number): void => {
    const keptBytes = kept?.at(start, start + target.length);
    if (keptBytes) return target.set(keptBytes);
    readFile(target, start);
    kept?.add(target, start);
  };
  const readAhead = buildReadAhead(readInto, size);
  const read: ByteSource['read'] = (start, end) => kept?.at(start, end) ?? readAhead(start, end);
  const close = (): void => {
    fs.closeSync(descriptor);
    kept?.release();
  };
  return countReads(file, { size, canBeReopened: true, read, readInto, close });
}

/** Counts the bytes that are read to be parsed, which need space in the heap. */
function countReads(file: string, source: ByteSource): ByteSource {
  return {
    ...source,
    read(start, end) {
      countRead(file, end - start);
      return source.read(start, end);
    },
  };
}

/** Reads a pipe or standard input to its end, a compressed one as its content. */
export async function readStream(descriptor: number, name: string): Promise<ByteSource> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of fs.createReadStream('', { fd: descriptor })) chunks.push(chunk as Buffer);
  } catch (error) {
    throw buildReadError(name, error);
  }
  const bytes = Buffer.concat(chunks);
  const compression = findCompression(bytes);
  return countReads(name, toByteSource(compression ? decompress(compression, bytes, name) : bytes));
}

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['no such file', 'check the path, or pass a session id or "latest"'],
  ENOTDIR: ['no such file', 'check the path'],
  EACCES: ['no permission to read this file', 'check its mode and owner'],
  EPERM: ['no permission to read this file', 'check its mode and owner'],
  ELOOP: ['too many symbolic links', 'check the path'],
  ENAMETOOLONG: ['the file name is too long', 'check the path'],
};

function buildReadError(file: string, error: unknown): CtxError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  if (code === 'EISDIR') return buildFolderError(file);
  const [what, hint] = REASONS[code] ?? [`the file cannot be read (${code})`, 'check the path'];
  return new CtxError('input', what, { where: file, hint });
}

function buildFolderError(file: string): CtxError {
  const hint = `list its sessions: ctx ls ${toShellWord(file)}`;
  return new CtxError('input', 'this is a folder, not a session file', { where: file, hint });
}
