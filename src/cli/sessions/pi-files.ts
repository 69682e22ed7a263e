import path from 'node:path';
import type { Io } from '#platform/io.js';
import { findSessionsFolder } from '#session/agents/pi-folders.js';

type Folders = Pick<Io, 'env' | 'home' | 'files'>;

/** A file in Pi's session folder, with the session id that its name ends in. */
export interface SessionFile {
  readonly file: string;
  readonly id: string;
}

/** The session files that ids can name; none if the sessions folder is unknown. */
export function* listPiSessionFiles(io: Folders): Generator<SessionFile> {
  for (const file of listLineFiles(io)) {
    const id = readIdInName(file);
    if (id !== null) yield { file, id };
  }
}

/** The session id that Pi's name of a session file ends in; null for another name. */
export function readIdInName(file: string): string | null {
  return /^[^_]*_(.+)\.jsonl$/.exec(path.basename(file))?.[1] ?? null;
}

/** All files in the folders of Pi's sessions folder that may be sessions. */
export function* listLineFiles(io: Folders): Generator<string> {
  const root = findSessionsFolder(io);
  if (root === null) return;
  for (const folder of io.files.list(root)) {
    for (const name of io.files.list(path.join(root, folder))) {
      if (name.endsWith('.jsonl')) yield path.join(root, folder, name);
    }
  }
}
