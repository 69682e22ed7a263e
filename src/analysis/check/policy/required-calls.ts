import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { runCommandOnce } from './command-example.js';
import { HOW_COMMANDS_MATCH, matchesCommand } from './command-patterns.js';
import { defineNamesOption } from './options.js';
import { listPathCalls } from './path-calls.js';
import { matchesPattern } from './patterns.js';

const required = z
  .strictObject({
    tools: z.optional(defineNamesOption('Tools that must have been called')),
    commands: z.optional(defineNamesOption('Command lines that must have been run')),
  })
  .check(z.refine(({ tools, commands: lines }) => Boolean(tools ?? lines), 'must name tools or commands'));

export default defineRule({
  name: 'required-calls',
  severity: null,
  summary: 'A required tool was not called, or a required command not run',
  help:
    'An agent that must run the tests, or must look before it writes, shows that in its calls. The rule examines the ' +
    `calls on the active path, also those before a compaction. ${HOW_COMMANDS_MATCH}`,
  options: required,
  example: {
    fires: runCommandOnce('git status'),
    silent: runCommandOnce('npm run build && npm test'),
    options: { commands: ['npm test*'] },
  },
  looksAt: 'session',
  *find(session, { tools = [], commands: lines = [] }): Generator<Hit> {
    const calls = listPathCalls(session);
    for (const pattern of tools) {
      const isCalled = calls.some(({ name }) => matchesPattern(pattern, name));
      if (!isCalled) yield { message: `no tool called "${pattern}" was called` };
    }
    for (const pattern of lines) {
      const isRun = calls.some((call) => matchesCommand(call, [pattern]));
      if (!isRun) yield { message: `no command like "${pattern}" was run` };
    }
  },
});
