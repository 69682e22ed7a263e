import { CtxError } from '#base/errors.js';
import type { Compression } from './compression-format.js';

/** The functions that Node.js has since version 22.15. */
interface Zstd {
  zstdDecompressSync(bytes: Uint8Array, options: object): { readonly buffer: Buffer; readonly engine: Engine };
  readonly constants: { readonly ZSTD_e_flush: number };
}

interface Engine {
  /** The number of compressed bytes that were read. */
  readonly bytesWritten: number;
}

/** The decompressor makes the content in pieces of this size. */
const PIECE_BYTES = 1 << 20;

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** Zstandard, in which Codex keeps old rollouts. */
export const zstd: Compression = {
  name: 'zstd',
  ending: '.zst',
  isBeginning: (bytes) => MAGIC.every((byte, at) => bytes[at] === byte),
  decompress,
  decompressFirst(bytes, most) {
    const node = findDecompressor();
    const options = { finishFlush: node.constants.ZSTD_e_flush, maxOutputLength: most, info: true };
    return node.zstdDecompressSync(bytes, options).buffer;
  },
  byHand: 'zstd -d FILE -o session.jsonl',
  test: 'zstd -t FILE',
};

/** Node.js decompresses one frame, and ignores the bytes after it. */
function decompress(bytes: Uint8Array, most: number): Uint8Array {
  const node = findDecompressor();
  const frames: Buffer[] = [];
  let left = most;
  for (let at = 0; at < bytes.length;) {
    const options = { maxOutputLength: Math.max(left, 1), chunkSize: PIECE_BYTES, info: true };
    const frame = node.zstdDecompressSync(bytes.subarray(at), options);
    frames.push(frame.buffer);
    at += frame.engine.bytesWritten;
    left -= frame.buffer.length;
  }
  return frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
}

/** Throws a CtxError (input) in a version of Node.js without it. */
function findDecompressor(): Zstd {
  const zlib: object = process.getBuiltinModule('node:zlib');
  if ('zstdDecompressSync' in zlib) return zlib as Zstd;
  const what = `reading a file compressed with zstd needs Node.js 22.15, and this is ${process.versions.node}`;
  throw new CtxError('input', what, { hint: `use a newer Node.js, or decompress it: ${zstd.byHand}` });
}
