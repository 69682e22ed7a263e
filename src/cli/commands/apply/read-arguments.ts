import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { refuseAgentFile } from '#change/plan/appendable.js';
import { findSession } from '#cli/locate.js';
import type { Io } from '#platform/io.js';
import { peekSession } from '#session/scan/peek.js';
import { openSessionFile } from '../session.js';
import { type ApplyInput, PATCH_FLAGS } from './flags.js';

/** The file of a plan, which is a sole argument that is not a session; null where a session and a patch are named. */
export function findPlanFile({ io, args: [name, patch], flags }: ApplyInput): string | null {
  if (name === undefined || patch !== undefined || !isPlan(io, name)) return null;
  const other = PATCH_FLAGS.find((flag) => flags[flag] !== undefined);
  if (other === undefined) return name;
  throw new CtxError('usage', `--${other} has no effect on a plan`, {
    hint: 'leave it out, or name a session and a patch',
  });
}

/** Tests whether a sole argument names a plan. A missing file is recognised by its name. */
function isPlan(io: Io, name: string): boolean {
  if (name === '-') return true;
  return io.files.exists(name) ? !isSession(io, name) : name.endsWith('.json');
}

/** The words of a command line that name a session and a patch for it. */
interface SessionAndPatch {
  readonly name: string;
  readonly patchFile: string;
}

/**
 * The session and the patch that the arguments name. Throws a CtxError (usage) if one is missing, or they are
 * exchanged.
 */
export async function requireSessionAndPatch(input: ApplyInput): Promise<SessionAndPatch> {
  const [name, patchFile] = input.args;
  if (name === undefined || patchFile === undefined) {
    throw new CtxError('usage', 'say what to apply, and to which session', {
      hint: 'ctx apply SESSION PATCH.json, or - for standard input',
    });
  }
  if (name === '-' && patchFile === '-')
    throw new CtxError('usage', 'only one of them can come from standard input', { hint: 'name a file' });
  if (await namesSession(input, patchFile)) {
    throw new CtxError('usage', 'this is a session, where a patch is expected', {
      where: patchFile,
      hint: `name the session first: ctx apply ${toShellWord(patchFile)} ${toShellWord(name)}`,
    });
  }
  return { name, patchFile };
}

/** Whether a word names a session. Throws a CtxError (refused) for one of another agent, in whatever place it is named. */
async function namesSession(input: ApplyInput, word: string): Promise<boolean> {
  const { io } = input;
  if (word === '-' || io.files.exists(word)) return isSession(io, word);
  const file = await findSession(io, word);
  if (file === null || !io.files.exists(file)) return false;
  refuseAgentFile(await openSessionFile(input, file));
  return true;
}

/** The most bytes of a header that are read. */
const LONGEST_HEADER = 65_536;

function isSession({ files }: Io, file: string): boolean {
  if (file === '-') return false;
  const found = peekSession(files.beginning(file, LONGEST_HEADER), false);
  return found !== null && found !== 'no-session';
}
