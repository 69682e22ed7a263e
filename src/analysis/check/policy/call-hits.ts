import { incrementCount } from '#base/maps.js';
import { pluralize } from '#base/numbers.js';
import type { Session } from '#session/session.js';
import { type Hit, quoteValue } from '../define.js';
import { listPathCalls, type PathCall } from './path-calls.js';
import { matchesAnyPattern } from './patterns.js';

/** The calls of tools whose names match, one hit for each name. */
export function* findForbiddenCalls(session: Session, patterns: readonly string[]): Generator<Hit> {
  const calls = listPathCalls(session).filter(({ name }) => matchesAnyPattern(patterns, name));
  yield* groupHitsByName(
    calls,
    ({ name }) => name,
    (name, times) => `the tool ${quoteValue(name)} was called ${times}, which is not allowed`,
  );
}

/** One hit for each group of calls, at the first of them. */
export function* groupHitsByName(
  calls: readonly PathCall[],
  nameOf: (call: PathCall) => string,
  message: (name: string, times: string) => string,
): Generator<Hit> {
  const times = new Map<string, number>();
  const first = new Map<string, PathCall>();
  for (const call of calls) {
    const name = nameOf(call);
    incrementCount(times, name);
    if (!first.has(name)) first.set(name, call);
  }
  for (const [name, call] of first) {
    const of = times.get(name) ?? 1;
    const others = calls.filter((one) => one !== call && nameOf(one) === name).slice(0, MOST_RELATED);
    yield {
      message: message(name, of === 1 ? 'once' : pluralize(of, 'time')),
      at: call.head,
      related: others.map(({ head }) => head.id),
    };
  }
}

const MOST_RELATED = 100;
