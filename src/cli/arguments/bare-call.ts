import type { Surroundings } from '../surroundings.js';

/** A command line, with text for people before and after its answer. */
interface FramedCall {
  readonly argv: readonly string[];
  readonly frame: Frame | null;
}

/** Lines around an answer that people read. */
export interface Frame {
  readonly before: string;
  readonly after: string;
}

/**
 * `ctx` alone is about the newest session of the working directory. Where there is none it lists the newest sessions of
 * other folders with the next commands, and without any session it prints the help.
 */
export async function replaceBareCall(io: Surroundings): Promise<FramedCall> {
  const { findLatestHere } = await import('../latest.js');
  const { findSession } = await import('../locate.js');
  if ((await findLatestHere(io)) !== null) return { argv: ['status'], frame: HERE };
  if ((await findSession(io, 'latest')) === null) return { argv: [], frame: null };
  return { argv: ['ls', '--agent', 'all', '--max', '5'], frame: ELSEWHERE };
}

/** After the next commands, whose column it continues. */
const HERE: Frame = { before: '', after: '         ctx --help  lists all commands\n' };

const ELSEWHERE: Frame = {
  before: 'This folder has no session. The newest of all folders:\n\n',
  after: `
Next  ctx status SESSION  how full its context is
      ctx find WORDS      the sessions with these words
      ctx --help          all commands
`,
};
