import fs from 'node:fs';
import type V8 from 'node:v8';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { buildReadAhead, type ByteSource, toByteSource } from './bytes.js';
import { decompress, isCompressed, MAGIC_BYTES, MOST_CONTENT_BYTES } from './zstd.js';

/** Opens a file for reading, a compressed one as its content. Throws a CtxError (input) with the reason if it cannot. */
export async function openFile(file: string): Promise<ByteSource> {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, 'r');
  } catch (error) {
    throw cannotRead(file, error);
  }
  const stat = fs.fstatSync(descriptor);
  if (stat.isFile()) return contentOf(fileSource(descriptor, stat.size, file), file);
  if (stat.isFIFO() || stat.isSocket()) return readStream(descriptor, file);
  fs.closeSync(descriptor);
  if (stat.isDirectory()) throw isFolder(file);
  throw new CtxError('input', 'this is a device, not a session file', { where: file, hint: 'pass a .jsonl file' });
}

/** The source itself, or if it is compressed, its content, which is kept in memory. */
function contentOf(source: ByteSource, file: string): ByteSource {
  const first = new Uint8Array(Math.min(MAGIC_BYTES, source.size));
  source.readInto(first, 0);
  if (!isCompressed(first)) return source;
  try {
    const bytes = new Uint8Array(Math.min(source.size, MOST_CONTENT_BYTES));
    source.readInto(bytes, 0);
    return counted(file, { ...toByteSource(decompress(bytes, file)), isFixed: true });
  } finally {
    source.close();
  }
}

/** A source with the size that the file had when it was opened. */
function fileSource(descriptor: number, size: number, file: string): ByteSource {
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
    const known = kept?.at(start, start + target.length);
    if (known) return target.set(known);
    readFile(target, start);
    kept?.add(target, start);
  };
  const readAhead = buildReadAhead(readInto, size);
  const read: ByteSource['read'] = (start, end) => kept?.at(start, end) ?? readAhead(start, end);
  const close = (): void => {
    fs.closeSync(descriptor);
    kept?.release();
  };
  return counted(file, { size, canBeReopened: true, read, readInto, close });
}

/** The size up to which a file is kept from its scan, since reading it again takes longer. */
const KEPT_BYTES = 1 << 22;

/** Blocks of closed files: new memory is slow. */
const blocks: Uint8Array[] = [];

/** The beginning of a small file, as far as it was read in order. */
class KeptBeginning {
  private block: Uint8Array | null = null;
  private length = 0;

  /** Null for bytes that were not read. */
  at(start: number, end: number): Uint8Array | null {
    return end > this.length ? null : (this.block?.subarray(start, end) ?? null);
  }

  add(bytes: Uint8Array, start: number): void {
    if (start > this.length) return;
    this.block ??= blocks.pop() ?? new Uint8Array(KEPT_BYTES);
    this.block.set(bytes, start);
    this.length = Math.max(this.length, start + bytes.length);
  }

  /** Nothing is kept afterwards. */
  release(): void {
    if (this.block) blocks.push(this.block);
    this.block = null;
    this.length = 0;
  }
}

/** Counts the bytes that are read to be parsed, which need space in the heap. */
function counted(file: string, source: ByteSource): ByteSource {
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
    throw cannotRead(name, error);
  }
  const bytes = Buffer.concat(chunks);
  return counted(name, toByteSource(isCompressed(bytes) ? decompress(bytes, name) : bytes));
}

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['no such file', 'check the path, or pass a session id or "latest"'],
  ENOTDIR: ['no such file', 'check the path'],
  EACCES: ['no permission to read this file', 'check its mode and owner'],
  EPERM: ['no permission to read this file', 'check its mode and owner'],
  ELOOP: ['too many symbolic links', 'check the path'],
  ENAMETOOLONG: ['the file name is too long', 'check the path'],
};

function cannotRead(file: string, error: unknown): CtxError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  if (code === 'EISDIR') return isFolder(file);
  const [what, hint] = REASONS[code] ?? [`the file cannot be read (${code})`, 'check the path'];
  return new CtxError('input', what, { where: file, hint });
}

function isFolder(file: string): CtxError {
  const hint = `list its sessions: ctx ls ${toShellWord(file)}`;
  return new CtxError('input', 'this is a folder, not a session file', { where: file, hint });
}

/** The share of the heap for entries; the rest is for the results. */
const MOST_FILLED = 0.45;
/** The heap is checked each time that this share of it was read. */
const STEP = 1 / 64;
/** The size of a session that fits in any heap. */
const FIRST_LOOK = 2 ** 20;
/** Garbage is not collected again before this share of the heap was allocated. */
const PAUSE = 1 / 16;
/** The bytes that a byte of JSON needs as text and as a value. */
const BYTES_PER_BYTE = 2;

let unchecked = 0;
let collectAt = 0;

/**
 * Counts bytes of a session that are read to be parsed. Throws a CtxError (input) before they fill the heap: V8 would
 * otherwise end the process without an error message.
 */
function countRead(file: string, bytes: number): void {
  unchecked += bytes;
  // Querying V8 loads much of Node.js, which a small session does not need.
  if (unchecked < FIRST_LOOK || unchecked < heapLimit() * STEP) return;
  const needed = unchecked * BYTES_PER_BYTE;
  unchecked = 0;
  if (heapUsed() + needed <= Math.max(heapLimit() * MOST_FILLED, collectAt)) return;
  collectGarbage();
  const filled = heapUsed() + needed;
  if (filled > heapLimit() * MOST_FILLED) throw fullHeap(file);
  collectAt = filled + heapLimit() * PAUSE;
}

let limit: number | undefined;

/** In bytes, without the space for new objects, since the entries must fit. Each thread has its own heap. */
function heapLimit(): number {
  return (limit ??= Math.max(v8().getHeapStatistics().heap_size_limit - youngBytes(), LEAST_BYTES));
}

const LEAST_BYTES = 24 * 2 ** 20;

/** The space for new objects, by the V8 of the version of Node.js: three semi-spaces of 16, 64 and 32 MB. */
function youngBytes(): number {
  const major = Number.parseInt(process.versions.node, 10);
  return (major < 23 ? 48 : major < 25 ? 192 : 96) * 2 ** 20;
}

function heapUsed(): number {
  return v8().getHeapStatistics().used_heap_size;
}

function v8(): typeof V8 {
  return process.getBuiltinModule('node:v8');
}

/** The function exists only in a context that is created after the flag was set. */
function collectGarbage(): void {
  v8().setFlagsFromString('--expose-gc');
  process.getBuiltinModule('node:vm').runInNewContext('gc')();
}

function fullHeap(file: string): CtxError {
  const megabytes = Math.floor(heapLimit() / 2 ** 20);
  return new CtxError('input', `this needs more memory than the ${megabytes} MB limit of Node.js`, {
    where: file,
    hint: `pass an earlier revision if the command accepts one, or set NODE_OPTIONS=--max-old-space-size=${megabytes * 2}`,
  });
}
