import { CtxError } from '#base/errors.js';
import type { Compression } from './compression-format.js';
import { gzip } from './gzip.js';
import { zstd } from './zstd.js';

/** The compressions in order: of two files with the same content, the one with the first format is read. */
const COMPRESSIONS: readonly Compression[] = [gzip, zstd];

/** A larger content is refused, since it is kept in memory: a few kilobytes can decompress to any size. */
export const MOST_CONTENT_BYTES = 2 ** 29;

/** The first bytes of a file decide whether it is compressed. */
export const MAGIC_BYTES = 4;

/** The format of a file that begins with these bytes; null if it is not compressed. */
export function findCompression(beginning: Uint8Array): Compression | null {
  return COMPRESSIONS.find((one) => one.isBeginning(beginning)) ?? null;
}

/** The content of a compressed file. Throws a CtxError (input) with the reason if there is none. */
export function decompress(compression: Compression, bytes: Uint8Array, file: string): Uint8Array {
  try {
    return compression.decompress(bytes, MOST_CONTENT_BYTES);
  } catch (error) {
    throw toReadError(compression, error, file);
  }
}

function toReadError({ byHand, test }: Compression, error: unknown, file: string): CtxError {
  if (error instanceof CtxError)
    return new CtxError(error.kind, error.message, { where: file, hint: error.hint ?? byHand });
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
    const what = `this compressed file has more than ${MOST_CONTENT_BYTES / 2 ** 20} MB`;
    return new CtxError('input', what, { where: file, hint: `decompress it: ${byHand}` });
  }
  const hint = `restore it from a copy; ${test} reports the damage`;
  return new CtxError('input', 'this compressed file is damaged', { where: file, hint });
}

/**
 * The first bytes of the content of a compressed file, at most `most`; none if it cannot be decompressed. `read`
 * returns up to as many first bytes of the file as it is told.
 */
export function decompressBeginning(
  compression: Compression,
  read: (most: number) => Uint8Array,
  most: number,
): Uint8Array {
  try {
    // The content comes in blocks, the first of which needs up to 128 kB.
    for (let size = FIRST_BYTES; ; size *= 2) {
      const bytes = read(size);
      const content = compression.decompressFirst(bytes, Math.max(most, MOST_AT_ONCE));
      if (content.length >= most || bytes.length < size) return content.subarray(0, most);
    }
  } catch {
    return new Uint8Array();
  }
}

const FIRST_BYTES = 1 << 14;
/** A beginning with more content is not one of a session. */
const MOST_AT_ONCE = 1 << 26;

/** The name of a file without the ending of its compression: a session that is compressed keeps its name. */
export function toContentName(file: string): string {
  const compression = COMPRESSIONS.find(({ ending }) => file.endsWith(ending));
  return compression ? file.slice(0, -compression.ending.length) : file;
}

/**
 * Drops each file whose content another one has as well. Of those, an uncompressed file stays, else the one whose
 * format is read first. An agent that decompresses a session to go on with it removes the compressed file only
 * afterwards.
 */
export function dropRepeated<Named>(all: readonly Named[], nameOf: (named: Named) => string): readonly Named[] {
  const best = new Map<string, string>();
  for (const named of all) {
    const name = nameOf(named);
    const before = best.get(toContentName(name));
    if (before === undefined || rankName(name) < rankName(before)) best.set(toContentName(name), name);
  }
  return all.filter((named) => best.get(toContentName(nameOf(named))) === nameOf(named));
}

/** The place of a file's format among all; -1 for one that is not compressed. */
function rankName(name: string): number {
  return COMPRESSIONS.findIndex(({ ending }) => name.endsWith(ending));
}
