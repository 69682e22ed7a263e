import fs from 'node:fs';

/** Waits until something is there that a process puts into a folder, or until the process has ended. */
export async function appears(folder: string, isThere: () => boolean, ended: Promise<unknown>): Promise<void> {
  const watcher = fs.watch(folder);
  const there = new Promise<void>((resolve) => {
    watcher.on('change', () => {
      if (isThere()) resolve();
    });
    if (isThere()) resolve();
  });
  await Promise.race([there, ended]);
  watcher.close();
}
