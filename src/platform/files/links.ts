import fs from 'node:fs';
import path from 'node:path';
import { attempt } from '#base/errors.js';

const MOST_LINKS = 40;

/** Resolves a broken link too, where a file can be created: `realpath` fails for it. */
export function resolveLinks(file: string): string {
  let name = file;
  for (let times = 0; times < MOST_LINKS; times += 1) {
    const target = linkTarget(name);
    if (target === null) return name;
    name = path.resolve(fs.realpathSync(path.dirname(name)), target);
  }
  throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
}

export function linkTarget(file: string): string | null {
  return attempt(() => fs.readlinkSync(file), null);
}
