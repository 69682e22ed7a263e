import type { Surroundings } from '../locate.js';

/** `ctx` alone is about the newest session of the working directory; where there is none it prints the help. */
export async function replaceBareCall(io: Surroundings, argv: readonly string[]): Promise<readonly string[]> {
  if (argv.length > 0) return argv;
  const { findLatestHere } = await import('../locate.js');
  return (await findLatestHere(io)) === null ? argv : ['status'];
}
