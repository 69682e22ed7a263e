import * as z from 'zod/mini';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { groupHitsByName } from './call-hits.js';
import { runCommandOnce } from './command-example.js';
import { HOW_COMMANDS_MATCH, matchesCommand } from './command-patterns.js';
import { defineNamesOption } from './options.js';
import { listPathCalls } from './path-calls.js';

const commands = defineNamesOption('Command lines that must not be run');

export default defineRule({
  name: 'forbidden-commands',
  severity: null,
  summary: 'A forbidden command was run',
  help:
    'The rule examines the commands of tool calls on the active path, also those before a compaction. ' +
    `${HOW_COMMANDS_MATCH} A command that a script runs is not in the session, so this is no sandbox: it finds what ` +
    'the model asked for.',
  options: z.strictObject({ commands }),
  example: {
    fires: runCommandOnce('cd app && git push --force'),
    silent: runCommandOnce('git status'),
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
