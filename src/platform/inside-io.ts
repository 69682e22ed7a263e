import fs from 'node:fs';
import os from 'node:os';
import { attempt } from '#base/errors.js';
import { parseEveryLine } from './files/files.js';
import { openIndex } from './files/index-folder.js';
import { nodeFiles } from './files/node-files.js';
import type { Io } from './io.js';
import { readLocalTimezone } from './local-timezone.js';

/** The part of the outside world that a command inside an agent needs. */
export interface InsideIo extends Pick<Io, 'files' | 'now' | 'timezone' | 'openIndex' | 'canAsk'> {
  /** Writes to standard output or standard error. An agent that does not read is no failure. */
  write(descriptor: 1 | 2, text: string | Uint8Array): void;
}

export function createInsideIo(run: NodeJS.Process): InsideIo {
  return {
    files: run.env.CTX_STRICT === '1' ? parseEveryLine(nodeFiles) : nodeFiles,
    now: Date.now,
    timezone: readLocalTimezone,
    openIndex: () => Promise.resolve(openIndex(run.env, run.env.HOME || os.homedir())),
    // The stream of standard input would take longer to create than the rest of the command to run.
    canAsk: () => attempt(() => fs.fstatSync(0).isCharacterDevice(), false),
    write(descriptor, text) {
      try {
        fs.writeFileSync(descriptor, text);
      } catch {
        // Nothing can be reported where nothing can be written.
      }
    },
  };
}
