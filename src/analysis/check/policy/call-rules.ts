import * as z from 'zod/mini';
import { formatCount, pluralize } from '#base/numbers.js';
import { defineRule, type Example, type Hit, quoteValue } from '../define.js';
import { assistant, HEADER, QUESTION, toolCall, toolResult } from '../example.js';
import { groupHitsByName, listPathCalls, matchesCommand, type PathCall } from './path-calls.js';
import { defineNamesOption, matchesPattern } from './patterns.js';

const HOW_COMMANDS_MATCH =
  'A pattern matches a whole command line, or one command of a line that runs several: `git push*` also finds ' +
  '`cd app && git push origin`. In patterns, `*` is any text. The shell tools of all agents count.';

const commands = defineNamesOption('Command lines that must not be run');

export const forbiddenCommands = defineRule({
  name: 'forbidden-commands',
  severity: null,
  summary: 'A forbidden command was run',
  help:
    'The rule examines the commands of tool calls on the active path, also those before a compaction. ' +
    `${HOW_COMMANDS_MATCH} A command that a script runs is not in the session, so this is no sandbox: it finds what ` +
    'the model asked for.',
  options: z.strictObject({ commands }),
  example: {
    fires: running('cd app && git push --force'),
    silent: running('git status'),
    options: { commands: ['git push*', '*rm -rf*'] },
  },
  looksAt: 'session',
  *find(session, options): Generator<Hit> {
    const found = listPathCalls(session).filter((call) => matchesCommand(call, options.commands));
    yield* groupHitsByName(
      found,
      ({ command }) => command ?? '',
      (command, times) => `the command ${quoteValue(command)} was run ${times}, which is not allowed`,
    );
  },
});

const required = z
  .strictObject({
    tools: z.optional(defineNamesOption('Tools that must have been called')),
    commands: z.optional(defineNamesOption('Command lines that must have been run')),
  })
  .check(z.refine(({ tools, commands: lines }) => Boolean(tools ?? lines), 'must name tools or commands'));

export const requiredCalls = defineRule({
  name: 'required-calls',
  severity: null,
  summary: 'A required tool was not called, or a required command not run',
  help:
    'An agent that must run the tests, or must look before it writes, shows that in its calls. The rule examines the ' +
    `calls on the active path, also those before a compaction. ${HOW_COMMANDS_MATCH}`,
  options: required,
  example: {
    fires: running('git status'),
    silent: running('npm run build && npm test'),
    options: { commands: ['npm test*'] },
  },
  looksAt: 'session',
  *find(session, { tools = [], commands: lines = [] }): Generator<Hit> {
    const calls = listPathCalls(session);
    for (const pattern of tools)
      if (!calls.some(({ name }) => matchesPattern(pattern, name)))
        yield { message: `no tool called "${pattern}" was called` };
    for (const pattern of lines)
      if (!calls.some((call) => matchesCommand(call, [pattern])))
        yield { message: `no command like "${pattern}" was run` };
  },
});

const most = (meaning: string): z.ZodMiniOptional<z.ZodMiniNumber> =>
  z.optional(z.int().check(z.nonnegative(), z.describe(`The maximum number of ${meaning}.`)));

const callLimits = z
  .strictObject({
    total: most('calls'),
    failed: most('calls whose result is an error'),
    repeated: most('calls of one tool with the same command, one after another'),
    tools: z.optional(
      z
        .record(z.string(), z.int().check(z.nonnegative()))
        .check(z.describe('The maximum number of calls of tools, by a pattern of their names; `*` matches any text.')),
    ),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, 'must limit total, failed, repeated or tools'));

export const maxCalls = defineRule({
  name: 'max-calls',
  severity: null,
  summary: 'There were more tool calls than allowed',
  help:
    'Many calls, many failed calls, or the same command again and again show that an agent is lost. The rule counts ' +
    'the calls on the active path, also those before a compaction. A call without a result has not failed.',
  options: callLimits,
  example: {
    fires: [...running('npm test'), ...moreRuns('npm test', 'a2', 'r1')],
    silent: running('npm test'),
    options: { total: 1, tools: { 'web_*': 0 } },
  },
  looksAt: 'session',
  *find(session, { total, failed, repeated, tools = {} }): Generator<Hit> {
    const calls = listPathCalls(session);
    yield* tooMany(calls, total, 'tool call');
    yield* tooMany(
      calls.filter(({ hasFailed }) => hasFailed),
      failed,
      'failed tool call',
    );
    for (const [pattern, limit] of Object.entries(tools))
      yield* tooMany(
        calls.filter(({ name }) => matchesPattern(pattern, name)),
        limit,
        `call of ${quoteValue(pattern)}`,
        `calls of ${quoteValue(pattern)}`,
      );
    if (repeated !== undefined) yield* repeats(calls, repeated);
  },
});

/** A hit at the first call beyond the limit. */
function* tooMany(calls: readonly PathCall[], limit: number | undefined, one: string, many?: string): Generator<Hit> {
  const beyond = limit === undefined ? undefined : calls[limit];
  if (limit === undefined || !beyond) return;
  const verb = calls.length === 1 ? 'was' : 'were';
  yield {
    message: `there ${verb} ${pluralize(calls.length, one, many)}, more than the ${formatCount(limit)} allowed`,
    at: beyond.head,
  };
}

/** A hit for each series of equal commands that is too long, at its first call beyond the limit. */
function* repeats(calls: readonly PathCall[], limit: number): Generator<Hit> {
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

/** A session that runs one command. */
function running(command: string): Example {
  return [HEADER, QUESTION, ...moreRuns(command, 'a1', 'u1')];
}

function moreRuns(command: string, id: string, parentId: string): Example {
  const result = id.replace('a', 'r');
  return [
    assistant(id, parentId, [toolCall(`call-${id}`, 'bash', { command })]),
    toolResult(result, id, `call-${id}`, 'done', { toolName: 'bash' }),
  ];
}
