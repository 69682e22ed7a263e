import * as z from 'zod/mini';
import { formatCount, pluralize } from '#base/numbers.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { addCommandRun, runCommandOnce } from './command-example.js';
import { defineMaximumOption } from './options.js';
import { listPathCalls, type PathCall } from './path-calls.js';
import { matchesPattern } from './patterns.js';

const callLimits = z
  .strictObject({
    total: defineMaximumOption('calls'),
    failed: defineMaximumOption('calls whose result is an error'),
    repeated: defineMaximumOption('calls of one tool with the same command, one after another'),
    tools: z.optional(
      z
        .record(z.string(), z.int().check(z.nonnegative()))
        .check(z.describe('The maximum number of calls of tools, by a pattern of their names; `*` matches any text.')),
    ),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, 'must limit total, failed, repeated or tools'));

export default defineRule({
  name: 'max-calls',
  severity: null,
  summary: 'There were more tool calls than allowed',
  help:
    'Many calls, many failed calls, or the same command again and again show that an agent is lost. The rule counts ' +
    'the calls on the active path, also those before a compaction. A call without a result has not failed.',
  options: callLimits,
  example: {
    fires: [...runCommandOnce('npm test'), ...addCommandRun('npm test', 'a2', 'r1')],
    silent: runCommandOnce('npm test'),
    options: { total: 1, tools: { 'web_*': 0 } },
  },
  looksAt: 'session',
  *find(session, { total, failed, repeated, tools = {} }): Generator<Hit> {
    const calls = listPathCalls(session);
    yield* findTooMany(calls, total, 'tool call');
    yield* findTooMany(
      calls.filter(({ hasFailed }) => hasFailed),
      failed,
      'failed tool call',
    );
    for (const [pattern, limit] of Object.entries(tools))
      yield* findTooMany(
        calls.filter(({ name }) => matchesPattern(pattern, name)),
        limit,
        `call of ${quoteValue(pattern)}`,
        `calls of ${quoteValue(pattern)}`,
      );
    if (repeated !== undefined) yield* findRepeats(calls, repeated);
  },
});

/** A hit at the first call beyond the limit. */
function* findTooMany(
  calls: readonly PathCall[],
  limit: number | undefined,
  one: string,
  many?: string,
): Generator<Hit> {
  const beyond = limit === undefined ? undefined : calls[limit];
  if (limit === undefined || !beyond) return;
  const verb = calls.length === 1 ? 'was' : 'were';
  yield {
    message: `there ${verb} ${pluralize(calls.length, one, many)}, more than the ${formatCount(limit)} allowed`,
    at: beyond.head,
  };
}

/** A hit for each series of equal commands that is too long, at its first call beyond the limit. */
function* findRepeats(calls: readonly PathCall[], limit: number): Generator<Hit> {
  for (let start = 0; start < calls.length;) {
    let end = start + 1;
    while (end < calls.length && isRepeat(calls[start], calls[end])) end += 1;
    const first = calls[start];
    const beyond = calls[start + limit];
    if (first?.command != null && beyond && end - start > limit)
      yield {
        message: `${quoteValue(first.command)} was run ${pluralize(end - start, 'time')} in a row, more than the ${formatCount(limit)} allowed`,
        at: beyond.head,
      };
    start = end;
  }
}

function isRepeat(one: PathCall | undefined, other: PathCall | undefined): boolean {
  return one !== undefined && one.command !== null && one.name === other?.name && one.command === other.command;
}
