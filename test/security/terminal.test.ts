import { describe, expect, it } from 'vitest';
import { commandNames } from '#cli/commands/index.js';
import { ctx } from '../support/memory-io.js';
import { READING } from './every-command.js';
import { hostileSession } from './hostile-session.js';

const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** What is not safe in what is printed. */
function unsafeIn(text: string): readonly string[] {
  return text.match(UNSAFE) ?? [];
}

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
