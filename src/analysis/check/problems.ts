import type { Problem } from '#base/errors.js';
import type { Session } from '#session/session.js';
import { defineRule, type Group, type Hit, type Rule } from './define.js';

/** A rule that reports the problems of its name. */
interface ProblemRow extends Pick<Rule, 'name' | 'severity' | 'summary' | 'help' | 'example'> {
  /** How `ctx repair` repairs each; left out where it does not. */
  readonly fix?: string;
  /** Says more of the hits than reading the file could. */
  readonly explain?: (hits: Iterable<Hit>, session: Session) => Iterable<Hit>;
}

/** Rules without a search of their own: reading the file has found what they report. */
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

/** The problems of one kind that reading the file has found, as hits of the rule of that name. */
export function* problemsOf({ problems }: Session, code: string, fix?: string): Generator<Hit> {
  for (const problem of problems) if (problem.code === code) yield hitOf(problem, fix);
}

function hitOf({ message, line, entryId, offset = 0, length = 0 }: Problem, fix: string | undefined): Hit {
  const at = line === null ? {} : { at: { line, offset, length, id: entryId } };
  return { message, ...at, ...(fix === undefined ? {} : { fix }) };
}
