import type { Compression } from './compression-format.js';

/** A member of a gzip file begins with these bytes; the third names the only method. */
const MAGIC = [0x1f, 0x8b, 0x08];

/** Gzip, in which `ctx archive` keeps sessions: every version of Node.js reads it. */
export const gzip: Compression = {
  name: 'gzip',
  ending: '.gz',
  isBeginning: (bytes) => MAGIC.every((byte, at) => bytes[at] === byte),
  decompress(bytes, most) {
    const { gunzipSync } = process.getBuiltinModule('node:zlib');
    return gunzipSync(bytes, { maxOutputLength: most, chunkSize: PIECE_BYTES });
  },
  decompressFirst(bytes, most) {
    const { gunzipSync, constants } = process.getBuiltinModule('node:zlib');
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: most });
  },
  byHand: 'gunzip -k FILE',
  test: 'gzip -t FILE',
};

/** The decompressor makes the content in pieces of this size. */
const PIECE_BYTES = 1 << 18;
