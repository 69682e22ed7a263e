import fs from 'node:fs';
import { CtxError } from './errors.js';

/** A stream that text, or bytes as they are, are printed to. */
export interface Output {
  /** false: nobody reads it any more, so there is no use in going on. */
  write(text: string | Uint8Array): Promise<boolean>;
  readonly isTerminal: boolean;
  /** How long a line can be, in cells: Infinity where nothing is known to limit it. */
  readonly columns: number;
  /** Lines of the terminal; a guess where there is none. */
  readonly rows: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Writes to a descriptor at once. Node's own streams are only asked for the size of a terminal, since to make
 * them takes longer than to print a short answer.
 */
export function nodeOutput(descriptor: number, stream: () => NodeJS.WriteStream, env: Environment): Output {
  const terminal = isCharacterDevice(descriptor) ? stream() : null;
  return {
    write: async (text) => writeAll(descriptor, typeof text === 'string' ? Buffer.from(text) : text),
    isTerminal: terminal?.isTTY ?? false,
    // A terminal that does not know its size says 0. What goes elsewhere is not cut, unless somebody says where.
    columns: terminal?.isTTY ? terminal.columns || 80 : widthIn(env) || Infinity,
    rows: terminal?.rows || 40,
  };
}

/** What the environment says of the width; 0: nothing. */
function widthIn({ COLUMNS = '' }: Environment): number {
  return /^\d{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
}

function isCharacterDevice(descriptor: number): boolean {
  try {
    return fs.fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Milliseconds. */
const SHORTEST_PAUSE = 0.05;
const LONGEST_PAUSE = 5;
const NOTHING_TO_WAIT_FOR = new Int32Array(new SharedArrayBuffer(4));

/** false where the reader has gone (`ctx … | head`): it has what it wanted. */
function writeAll(descriptor: number, bytes: Uint8Array): boolean {
  let pause = SHORTEST_PAUSE;
  for (let written = 0; written < bytes.length;) {
    try {
      written += fs.writeSync(descriptor, bytes, written);
      pause = SHORTEST_PAUSE;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return false;
      if (code !== 'EAGAIN') {
        throw new CtxError('refused', `cannot write the output (${code})`, {
          hint: 'is there room left where it goes?',
        });
      }
      // The reader of a pipe that does not block is slow: wait a little, the longer the slower it is.
      Atomics.wait(NOTHING_TO_WAIT_FOR, 0, 0, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
      continue;
    }
  }
  return true;
}
