import type { Problem } from '#base/errors.js';
import type { Session } from '#session/session.js';
import { defineRule, type Group, type Hit, type Rule } from './define.js';

/** A rule that reports the problems of its name. */
interface ProblemRow extends Pick<Rule, 'name' | 'severity' | 'summary' | 'help' | 'example'> {
  /** The repair of `ctx repair`; omitted if there is none. */
  readonly fix?: string;
  /** Adds detail to the hits that the reader does not know. */
  readonly explain?: (hits: Iterable<Hit>, session: Session) => Iterable<Hit>;
}

/** Builds rules that report problems which the reader of the file found. */
export function problemRules(group: Group, rows: readonly ProblemRow[]): readonly Rule[] {
  return rows.map(({ fix, explain = (hits) => hits, ...about }) =>
    defineRule({
      ...about,
      group,
      looksAt: 'session',
      find: (session) => explain(problemsOf(session, about.name, fix), session),
    }),
  );
}

/** Yields the reader's problems of one kind, as hits of the rule of that name. */
export function* problemsOf({ problems }: Session, code: string, fix?: string): Generator<Hit> {
  for (const problem of problems) if (problem.code === code) yield hitOf(problem, fix);
}

function hitOf({ message, line, entryId, offset = 0, length = 0 }: Problem, fix: string | undefined): Hit {
  const at = line === null ? {} : { at: { line, offset, length, id: entryId } };
  return { message, ...at, ...(fix === undefined ? {} : { fix }) };
}
