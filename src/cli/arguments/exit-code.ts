import { attempt } from '#base/errors.js';
import { moveCommandFirst } from './argv.js';

/** The commands that an agent runs as its hooks and for its status line. */
const INSIDE_AGENTS: ReadonlySet<string | undefined> = new Set(['guard', 'statusline']);

/**
 * The exit code of a failed command line. An agent takes 2 from a hook as a refusal, and shows any other one to the user
 * and goes on.
 */
export function toExitCode(argv: readonly string[], exitCode: number): number {
  const [command] = attempt(() => moveCommandFirst(argv).argv, argv);
  return INSIDE_AGENTS.has(command) ? 1 : exitCode;
}
