import { describe, expect, it } from 'vitest';
import { commandNames } from '#cli/commands/index.js';
import { ctx } from '../support/memory-io.js';
import { READING } from './every-command.js';
import { hostileSession, unsafeIn } from './hostile-session.js';

const RUNS = Object.entries(READING).flatMap(([command, runs]) =>
  runs.map((flags) => [...command.split(' '), 's.jsonl', ...flags]),
);
/** What reads sessions in another way than by a name after the command. */
const OTHERS = [
  ['ls', 'all'],
  ['stats', 'all'],
  ['check', 'all'],
  ['grep', 'isoDate', 'all'],
  ['find', 'isoDate', '--in', 'all'],
  ['why', 'isoDate', 's.jsonl'],
  ['query', 'SELECT * FROM messages', 's.jsonl'],
  ['query', 'SELECT * FROM entries', 's.jsonl', '--format', 'csv'],
  ['export', 's.jsonl', '--format', 'markdown', '-o', 'new.md'],
];
const FORMATS = [[], ['--json'], ['--format', 'markdown']];

it('every command is asked', () => {
  const message = 'READING in test/security/every-command.ts needs a row for each command';
  expect(Object.keys(READING).toSorted(), message).toEqual(commandNames.toSorted());
});

it.each(OTHERS.map((argv) => [argv.join(' '), argv] as const))(
  'nothing that a terminal would obey is printed by ctx %s',
  async (_name, argv) => {
    const session = hostileSession('weather.jsonl');
    for (const format of argv.includes('--format') ? [[]] : FORMATS) {
      const { exitCode, stdout, stderr } = await ctx([...argv, ...format], {
        files: { 's.jsonl': session, 'all/s.jsonl': session },
      });
      expect(exitCode, stderr).toBeLessThanOrEqual(1);
      expect([format, unsafeIn(stdout), unsafeIn(stderr)]).toEqual([format, [], []]);
    }
  },
);

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
