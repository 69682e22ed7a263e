import fs from 'node:fs';
import { attempt } from '#base/errors.js';
import { decompressBeginning, findCompression, MAGIC_BYTES } from '#session/scan/compression.js';

/** The names in a folder; none if it cannot be read. */
export function listNames(folder: string): readonly string[] {
  return attempt(() => fs.readdirSync(folder), []);
}

/** Milliseconds: some file systems store times in steps of two seconds. */
const JUST_NOW = 2500n;

/** A text that changes with each write to a file; null if it is no file, or was written just before `now`. */
export function readFileState(file: string, now: number): string | null {
  const stat = statFile(file);
  if (!stat?.isFile() || stat.mtimeMs > BigInt(Math.floor(now)) - JUST_NOW) return null;
  const { dev, ino, size, mtimeNs, ctimeNs } = stat;
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/** The first bytes of a file, of a compressed one those of its content; none if it cannot be read. */
export function readBeginning(file: string, most: number): Uint8Array {
  const bytes = readRawBytes(file, Math.max(most, MAGIC_BYTES));
  const compression = findCompression(bytes);
  if (!compression) return bytes.subarray(0, most);
  return decompressBeginning(compression, (size) => readRawBytes(file, size), most);
}

/** The last bytes of a file; none of a compressed one, and if it cannot be read. */
export function readEnding(file: string, most: number): Uint8Array {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return findCompression(readRawBytes(file, MAGIC_BYTES))
    ? new Uint8Array()
    : readRawBytes(file, most, Math.max(0, size - most));
}

/** The bytes of a file from `start` on, at most `most`; none if it cannot be read. */
export function readRawBytes(file: string, most: number, start = 0): Uint8Array {
  const bytes = new Uint8Array(most);
  try {
    // A pipe without a writer is empty, and not waited for.
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, most, start));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return new Uint8Array();
  }
}

/** The metadata of a file; null if nothing exists, such as for a broken link. */
export function statFile(file: string): fs.BigIntStats | null {
  return attempt(() => fs.statSync(file, { bigint: true }), null);
}
