import { VERSION } from '#base/version.js';

/** Prints the version, with nothing else loaded. A reader that has gone, or a full disk, is nothing to be said about it. */
export function print(run: NodeJS.Process): void {
  try {
    run.getBuiltinModule('node:fs').writeSync(1, `${VERSION}\n`);
  } catch (error) {
    run.exitCode = (error as NodeJS.ErrnoException).code === 'EPIPE' ? 0 : 4;
  }
}
