import { VERSION } from './version.js';

/**
 * Runs the command line of a process. This file is loaded at every start, so it imports nothing: the version is
 * printed at once, and all else stands behind one import, with its compiled code kept where Node can do that.
 */
export async function main(process: NodeJS.Process): Promise<void> {
  const [first, ...others] = process.argv.slice(2);
  if (others.length === 0 && (first === '--version' || first === '-V')) {
    printVersion(process);
    return;
  }
  const module: object & { enableCompileCache?: () => void } = process.getBuiltinModule('node:module');
  module.enableCompileCache?.();
  const { nodeIo, run } = await import('./main.js');
  process.exitCode = await run(nodeIo(process));
}

/** A reader that has gone, or a full disk, is nothing to be said about a version. */
function printVersion(process: NodeJS.Process): void {
  try {
    process.getBuiltinModule('node:fs').writeSync(1, `${VERSION}\n`);
  } catch (error) {
    process.exitCode = (error as NodeJS.ErrnoException).code === 'EPIPE' ? 0 : 4;
  }
}
