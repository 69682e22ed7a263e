import fs from 'node:fs';
import os from 'node:os';
import { attempt, CtxError } from '#base/errors.js';

/** A stream for text or bytes. */
export interface Output {
  /** Writes. Returns false if the reader is gone, so that the caller can stop. */
  write(text: string | Uint8Array): Promise<boolean>;
  readonly isTerminal: boolean;
  /** The maximum length of a line in cells: Infinity if there is no known limit. */
  readonly columns: number;
  /** The lines of the terminal; a guess if there is none. */
  readonly rows: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Writes to a descriptor immediately. Node's own streams are created only for the properties of the terminal, and only
 * on demand, since creating one takes longer than printing a short answer.
 */
export function createOutput(descriptor: number, stream: () => NodeJS.WriteStream, env: Environment): Output {
  let cached: NodeJS.WriteStream | null | undefined;
  const terminal = (): NodeJS.WriteStream | null => {
    if (cached !== undefined) return cached;
    const asked = mayBeTerminal(descriptor) ? stream() : null;
    cached = asked?.isTTY ? asked : null;
    return cached;
  };
  return {
    write: async (text) => writeAll(descriptor, typeof text === 'string' ? Buffer.from(text) : text),
    get isTerminal() {
      return terminal() !== null;
    },
    // A terminal of unknown size reports 0. Other outputs are not truncated, unless a width is set.
    get columns() {
      const here = terminal();
      return here ? here.columns || 80 : readWidth(env) || Infinity;
    },
    get rows() {
      return terminal()?.rows || 40;
    },
  };
}

/** The width from the environment; 0: none. */
function readWidth({ COLUMNS = '' }: Environment): number {
  return /^\d{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
}

/** Detects a null device by its number: creating a stream for that takes as long as printing a page. */
function mayBeTerminal(descriptor: number): boolean {
  return attempt(() => {
    const device = fs.fstatSync(descriptor);
    return device.isCharacterDevice() && device.rdev !== fs.statSync(os.devNull).rdev;
  }, false);
}

/** Milliseconds. */
const SHORTEST_PAUSE = 0.05;
const LONGEST_PAUSE = 5;
const NOTHING_TO_WAIT_FOR = new Int32Array(new SharedArrayBuffer(4));

/** Returns false if the reader is gone (`ctx … | head`). */
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
      // The reader of a non-blocking pipe is slow: wait a little, longer each time.
      Atomics.wait(NOTHING_TO_WAIT_FOR, 0, 0, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
      continue;
    }
  }
  return true;
}
