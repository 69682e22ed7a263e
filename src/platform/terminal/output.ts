import fs from 'node:fs';
import os from 'node:os';
import { CtxError } from '#base/errors.js';

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
 * Writes to a descriptor at once. Node's own streams are only asked for what a terminal is like, and only when somebody
 * wants to know, since to make one takes longer than to print a short answer.
 */
export function nodeOutput(descriptor: number, stream: () => NodeJS.WriteStream, env: Environment): Output {
  let known: NodeJS.WriteStream | null | undefined;
  const terminal = (): NodeJS.WriteStream | null => {
    if (known !== undefined) return known;
    const asked = mayBeTerminal(descriptor) ? stream() : null;
    known = asked?.isTTY ? asked : null;
    return known;
  };
  return {
    write: async (text) => writeAll(descriptor, typeof text === 'string' ? Buffer.from(text) : text),
    get isTerminal() {
      return terminal() !== null;
    },
    // A terminal that does not know its size says 0. What goes elsewhere is not cut, unless somebody says where.
    get columns() {
      const here = terminal();
      return here ? here.columns || 80 : widthIn(env) || Infinity;
    },
    get rows() {
      return terminal()?.rows || 40;
    },
  };
}

/** The width from the environment; 0: none. */
function widthIn({ COLUMNS = '' }: Environment): number {
  return /^\d{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
}

/** To make a stream only to hear that it is none takes as long as to print a page: what goes nowhere is known by its device. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const device = fs.fstatSync(descriptor);
    return device.isCharacterDevice() && device.rdev !== fs.statSync(os.devNull).rdev;
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
          hint: 'check the free space of its target',
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
