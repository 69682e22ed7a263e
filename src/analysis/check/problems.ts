import type { Problem } from '#base/errors.js';
import type { Session } from '#session/session.js';
import type { Hit } from './define.js';

/** What reading the file has found of one kind, for the rule of that name. `fix`: how each can be mended. */
export function* problemsOf({ problems }: Session, code: string, fix?: string): Generator<Hit> {
  for (const problem of problems) if (problem.code === code) yield hitOf(problem, fix);
}

function hitOf({ message, line, entryId, offset = 0, length = 0 }: Problem, fix: string | undefined): Hit {
  const at = line === null ? {} : { at: { line, offset, length, id: entryId } };
  return { message, ...at, ...(fix === undefined ? {} : { fix }) };
}
