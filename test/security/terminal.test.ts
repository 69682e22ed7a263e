import { describe, expect, it } from 'vitest';
import { commandNames } from '#cli/commands/index.js';
import { ctx } from '../support/memory-io.js';
import { READING } from './every-command.js';
import { hostileSession, unsafeIn } from './hostile-session.js';

const RUNS = Object.entries(READING).flatMap(([command, runs]) =>
  runs.map((flags) => [...command.split(' '), 's.jsonl', ...flags]),
);
const FORMATS = [[], ['--json'], ['--format', 'markdown']];

it('every command is asked', () => {
  const message = 'READING in test/security/every-command.ts needs a row for each command';
  expect(Object.keys(READING).toSorted(), message).toEqual(commandNames.toSorted());
});

describe.each(['weather.jsonl', 'damaged/duplicate-id.jsonl', 'mixed/dual-written.jsonl'])(
  'nothing of %s reaches the terminal that it would obey, or that nobody could see:',
  (name) => {
    const files = { 's.jsonl': hostileSession(name) };
    const formats = name === 'weather.jsonl' ? FORMATS : [[]];

    it.each(RUNS.map((argv) => [argv.join(' '), argv] as const))('ctx %s', async (_name, argv) => {
      for (const format of argv.includes('--format') ? [[]] : formats) {
        const { stdout, stderr } = await ctx([...argv, ...format], { files });
        expect([format, unsafeIn(stdout), unsafeIn(stderr)]).toEqual([format, [], []]);
      }
    });
  },
);
