import { CtxError } from '#base/errors.js';

/** The functions that Node.js has since version 22.15. */
interface Zstd {
  zstdDecompressSync(bytes: Uint8Array, options: object): { readonly buffer: Buffer; readonly engine: Engine };
  readonly constants: { readonly ZSTD_e_flush: number };
}

interface Engine {
  /** The number of compressed bytes that were read. */
  readonly bytesWritten: number;
}

/** A larger content is refused: a few kilobytes can decompress to any size. */
export const MOST_CONTENT_BYTES = 2 ** 29;

/** The decompressor makes the content in pieces of this size. */
const PIECE_BYTES = 1 << 20;

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** The first bytes of a file decide whether it is compressed. */
export const MAGIC_BYTES = MAGIC.length;
/** Whether a file that begins with these bytes is compressed with Zstandard, as Codex does with old rollouts. */
export function isCompressed(beginning: Uint8Array): boolean {
  return MAGIC.every((byte, at) => beginning[at] === byte);
}

/** The content of a compressed file. Throws a CtxError (input) with the reason if there is none. */
export function decompress(bytes: Uint8Array, file: string): Uint8Array {
  const zstd = findDecompressor();
  if (!zstd) throw buildUnsupportedError(file);
  const frames: Buffer[] = [];
  let left = MOST_CONTENT_BYTES;
  for (let at = 0; at < bytes.length;) {
    const frame = decompressFrame(zstd, { bytes: bytes.subarray(at), most: left, file });
    frames.push(frame.buffer);
    at += frame.engine.bytesWritten;
    left -= frame.buffer.length;
  }
  return frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
}

/** Node.js decompresses one frame, and ignores the bytes after it. */
function decompressFrame(
  zstd: Zstd,
  { bytes, most, file }: { readonly bytes: Uint8Array; readonly most: number; readonly file: string },
): ReturnType<Zstd['zstdDecompressSync']> {
  try {
    return zstd.zstdDecompressSync(bytes, { maxOutputLength: Math.max(most, 1), chunkSize: PIECE_BYTES, info: true });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? buildTooLongError(file)
      : buildDamagedError(file);
  }
}

/**
 * The first bytes of the content of a compressed file, at most `most`; none if it cannot be decompressed. `read` returns
 * up to as many first bytes of the file as it is told.
 */
export function decompressBeginning(read: (most: number) => Uint8Array, most: number): Uint8Array {
  const zstd = findDecompressor();
  if (!zstd) return new Uint8Array();
  const options = { finishFlush: zstd.constants.ZSTD_e_flush, maxOutputLength: MOST_AT_ONCE, info: true };
  try {
    // The content comes in blocks, the first of which needs up to 128 kB.
    for (let size = FIRST_BYTES; ; size *= 2) {
      const bytes = read(size);
      const { buffer } = zstd.zstdDecompressSync(bytes, options);
      if (buffer.length >= most || bytes.length < size) return buffer.subarray(0, most);
    }
  } catch {
    return new Uint8Array();
  }
}

const FIRST_BYTES = 1 << 14;
/** A beginning with more content is not one of a session. */
const MOST_AT_ONCE = 1 << 26;

/** Null in a version of Node.js without it. */
function findDecompressor(): Zstd | null {
  const zlib: object = process.getBuiltinModule('node:zlib');
  return 'zstdDecompressSync' in zlib ? (zlib as Zstd) : null;
}

function buildUnsupportedError(file: string): CtxError {
  const what = `reading a file compressed with zstd needs Node.js 22.15, and this is ${process.versions.node}`;
  return new CtxError('input', what, { where: file, hint: `use a newer Node.js, or ${BY_HAND}` });
}

function buildTooLongError(file: string): CtxError {
  const what = `this compressed file has more than ${MOST_CONTENT_BYTES / 2 ** 20} MB`;
  return new CtxError('input', what, { where: file, hint: BY_HAND });
}

function buildDamagedError(file: string): CtxError {
  const hint = 'restore it from a copy; zstd -t FILE reports the damage';
  return new CtxError('input', 'this compressed file is damaged', { where: file, hint });
}

const BY_HAND = 'decompress it: zstd -d FILE -o session.jsonl';
