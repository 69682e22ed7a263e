import type { Problem } from '#base/errors.js';
import type { Session } from '#session/session.js';
import { defineRule, type Hit, type Rule, type RuleDefinition } from './define.js';

interface ProblemRule extends Pick<Rule, 'name' | 'severity' | 'summary' | 'help' | 'example'> {
  /** The repair of `ctx repair`; omitted if there is none. */
  readonly fix?: string;
  /** Adds detail to the hits that the reader does not know. */
  readonly explain?: (hits: Iterable<Hit>, session: Session) => Iterable<Hit>;
}

/** Defines a rule that reports the problems of its name which the reader of the file found. */
export function defineProblemRule({ fix, explain = (hits) => hits, ...about }: ProblemRule): RuleDefinition {
  return defineRule({
    ...about,
    looksAt: 'session',
    find: (session) => explain(listProblemHits(session, about.name, fix), session),
  });
}

/** Yields the reader's problems of one kind, as hits of the rule of that name. */
export function* listProblemHits({ problems }: Session, code: string, fix?: string): Generator<Hit> {
  for (const problem of problems) {
    if (problem.code === code) yield toHit(problem, fix);
  }
}

function toHit({ message, line, entryId, offset = 0, length = 0 }: Problem, fix: string | undefined): Hit {
  const at = line === null ? undefined : { line, offset, length, id: entryId };
  return { message, at, fix };
}
