import type { Live } from '../define.js';
import type { Completion, PiContext } from '../pi.js';
import { RUNNING_SESSION } from '../running-session.js';
import { COMMAND_NAMES } from './names.js';
import { createRunner } from './runner.js';
import { quoteWord, readTypedLine } from './typed-words.js';

/** Completes the last word, as the shell completions of ctx do. */
export async function listCompletions(live: Live, ctx: PiContext, typed: string): Promise<Completion[]> {
  const { words, before, last } = readTypedLine(typed);
  const argv = addSession(words);
  const end = await createRunner(live, ctx)(['completion', 'zsh', '--json', '--', ...argv, last]);
  if (end.exitCode !== 0) return [];
  const { candidates } = JSON.parse(end.stdout) as { candidates: { word: string; about: string }[] };
  // A word that is complete is not offered, since Enter would complete it instead of running the line.
  return candidates
    .filter(({ word }) => word !== last && (words.length > 0 || COMMAND_NAMES.includes(word)))
    .map(({ word, about }) => ({ value: before + quoteWord(word), label: word, description: about }));
}

/** Commands whose first argument is no session. */
const WITHOUT_SESSION: ReadonlySet<string> = new Set(['grep', 'check']);

/** The words with the session of Pi, which is not typed inside it. */
function addSession(words: readonly string[]): readonly string[] {
  const [name, ...rest] = words;
  if (name === undefined || !COMMAND_NAMES.includes(name) || WITHOUT_SESSION.has(name)) return words;
  return [name, RUNNING_SESSION, ...rest];
}
