import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { CtxError } from '#base/errors.js';
import { type ByteSource } from '#session/scan/byte-source.js';
import { findCompression, MAGIC_BYTES, MOST_CONTENT_BYTES } from '#session/scan/compression.js';
import { gzip } from '#session/scan/gzip.js';
import { type LockReasons, takeLock } from './append-file.js';
import { createFolders } from './folders.js';
import { createNewFile } from './new-file.js';
import { readRawBytes } from './peek-file.js';
import { explainWriteErrors, toWriteError } from './write-errors.js';

/** A copy in an archive. */
export interface ArchivedCopy {
  readonly file: string;
  /** The size of its content, in bytes. */
  readonly size: number;
  /** The size of its file, in bytes. */
  readonly storedSize: number;
  /** The last change of the original when it was copied, in milliseconds since 1970. */
  readonly modified: number;
}

/** The content of a copy, compared with a file: the same, its beginning, or something else. */
export interface Comparison {
  readonly relation: 'same' | 'beginning' | 'other';
  /** The SHA-256 of what is in the copy, in hex digits. */
  readonly digest: string;
}

/** A folder of compressed copies, each of which has the name of its original. */
export interface ArchiveReader {
  /** The copy of this name; null if there is none. */
  find(name: string): ArchivedCopy | null;
  /** Compares a copy with a file. What cannot be read of a damaged copy does not count. */
  compare(copy: ArchivedCopy, source: ByteSource): Promise<Comparison>;
}

/** An archive to write to, which is locked for other processes. */
export interface ArchiveWriter extends ArchiveReader {
  /**
   * Writes a copy in one step, after reading it back from the disk and comparing it. `replaced`: the copy that it
   * replaces, which is kept under the name `keptAs` if there is one. Throws a CtxError (refused) if it cannot be
   * written.
   */
  write(
    name: string,
    source: ByteSource,
    how: { readonly modified: number; readonly replaced: ArchivedCopy | null; readonly keptAs: string | null },
  ): Promise<ArchivedCopy>;
  release(): Promise<void>;
}

export function readArchive(folder: string): ArchiveReader {
  return { find: (name) => findCopy(path.join(folder, name)), compare: compareContent };
}

/** Creates the folder if necessary, and locks it. Throws a CtxError (refused) if another process writes to it. */
export async function openArchive(folder: string): Promise<ArchiveWriter> {
  explainWriteErrors(folder, () => Array.from(createFolders(folder, PRIVATE_FOLDER)));
  const lock = await takeLock(path.join(folder, '.ctx-archive'), folder, REASONS);
  return {
    ...readArchive(folder),
    async write(name, source, { modified, replaced, keptAs }) {
      const plain = path.join(folder, name);
      const file = source.size > MOST_CONTENT_BYTES ? plain : `${plain}${gzip.ending}`;
      explainWriteErrors(file, () => Array.from(createFolders(path.dirname(file), PRIVATE_FOLDER)));
      const made = createNewFile(file, { force: true, like: null, isPrivate: true });
      try {
        const written = createHash('sha256');
        const pieces = readPieces(source, written);
        for await (const piece of file === plain ? pieces : compress(pieces)) await made.write(piece);
        await assertSame(made.unfinished, written.digest('hex'), file);
        fs.utimesSync(made.unfinished, modified / 1000, modified / 1000);
        lock.check();
        if (replaced && keptAs !== null) keepUnder(replaced.file, path.join(folder, keptAs));
        made.commit();
        if (replaced && replaced.file !== file) fs.rmSync(replaced.file, { force: true });
      } catch (error) {
        made.abandon();
        throw toWriteError(file, error);
      }
      return { file, size: source.size, storedSize: fs.statSync(file).size, modified };
    },
    release: () => lock.release(),
  };
}

const PRIVATE_FOLDER = 0o700;

const REASONS: LockReasons = {
  inTheWay: { what: 'this file is in place of the lock folder', hint: 'move it away' },
  lockTaken: {
    what: 'another ctx archive is writing to this archive',
    hint: 'wait until it has finished; the lock of a killed one expires after ten seconds',
  },
  lost: {
    what: 'the lock expired while the command was suspended; the rest was not archived',
    hint: 'run the command again',
  },
};

/**
 * Finds the copy of a file. An uncompressed one comes first, as in other readers: its content is too large to be read
 * from a compressed one.
 */
function findCopy(plain: string): ArchivedCopy | null {
  for (const file of [plain, `${plain}${gzip.ending}`]) {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile())
      return {
        file,
        size: readContentSize(file, stat.size),
        storedSize: stat.size,
        modified: Math.round(stat.mtimeMs),
      };
  }
  return null;
}

/** A file in gzip ends with the size of its content. One that is not whole has no such size: -1. */
function readContentSize(file: string, size: number): number {
  if (!findCompression(readRawBytes(file, MAGIC_BYTES))) return size;
  const last = readRawBytes(file, SIZE_BYTES, Math.max(0, size - SIZE_BYTES));
  return last.length < SIZE_BYTES ? -1 : Buffer.from(last).readUInt32LE();
}

const SIZE_BYTES = 4;

async function compareContent({ file }: ArchivedCopy, source: ByteSource): Promise<Comparison> {
  const hash = createHash('sha256');
  let at = 0;
  let isSame = true;
  try {
    for await (const piece of readContent(file)) {
      hash.update(piece);
      isSame &&= at + piece.length <= source.size && Buffer.compare(piece, readAt(source, at, piece.length)) === 0;
      at += piece.length;
    }
  } catch (error) {
    // A damaged copy: nothing is lost with it that the file has.
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
    return { relation: isSame ? 'beginning' : 'other', digest: hash.digest('hex') };
  }
  const digest = hash.digest('hex');
  if (!isSame) return { relation: 'other', digest };
  return { relation: at === source.size ? 'same' : 'beginning', digest };
}

async function assertSame(file: string, digest: string, where: string): Promise<void> {
  const read = createHash('sha256');
  for await (const piece of readContent(file)) read.update(piece);
  if (read.digest('hex') === digest) return;
  throw new CtxError('refused', 'the disk returns other bytes than were written; the copy was removed', {
    where,
    hint: 'check the disk, or choose another folder',
  });
}

/** The content of a file of the archive, piece by piece. */
function readContent(file: string): AsyncIterable<Uint8Array> {
  const stream = fs.createReadStream(file, { highWaterMark: PIECE_BYTES });
  if (!findCompression(readRawBytes(file, MAGIC_BYTES))) return stream;
  return pipeline(stream, zlib.createGunzip({ chunkSize: PIECE_BYTES }), () => {});
}

function compress(pieces: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(pieces), zlib.createGzip({ chunkSize: PIECE_BYTES }), () => {});
}

/** The bytes of a source, each piece in memory of its own. */
function* readPieces(source: ByteSource, hash: Hash): Generator<Uint8Array> {
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    const piece = readAt(source, at, Math.min(PIECE_BYTES, source.size - at));
    hash.update(piece);
    yield piece;
  }
}

function readAt(source: ByteSource, start: number, length: number): Uint8Array {
  const piece = new Uint8Array(length);
  source.readInto(piece, start);
  return piece;
}

const PIECE_BYTES = 1 << 18;

/** Gives a copy a second name. The name has the digest of the content, so one that exists is the same. */
function keepUnder(file: string, name: string): void {
  try {
    fs.linkSync(file, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    // A file system without second names.
    fs.renameSync(file, name);
  }
}
