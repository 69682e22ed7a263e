import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadCommands } from '#cli/commands/index.js';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
/** The session of the examples, which is also the latest one. */
const FILES = {
  'session.jsonl': weather,
  '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-02T09-00-00-000Z_weather.jsonl': weather,
};

/** What stands for files of the user's, a program that reads on, or an entry that only their session has. */
const PLACEHOLDER =
  /monday|4f2a9c11|\.(?:ts|json|md|html|csv|zip|txt)\b|\/|\*|&&|\||sessions|other|old\.jsonl|new\.jsonl|[^-]\bv1\b|\bexplore\b|completion|--watch|--follow|--summarizer|\ba1b2|SELECT/;

const examples = (await loadCommands(undefined)).flatMap((command) => command.examples);
const whole = examples.filter((example) => !PLACEHOLDER.test(example));

it('most examples of the help need nothing but a session', () => {
  expect(whole.length).toBeGreaterThan(50);
});

it.each(whole)('works as the help has it: %s', async (example) => {
  const { exitCode, stderr } = await ctx(wordsOf(example), { files: FILES });
  expect(stderr).not.toMatch(/^ctx: (?!warning|for details)/m);
  // 1 says that something was found.
  expect([0, 1]).toContain(exitCode);
});

/** The words that a shell makes of an example, without the name of the program. */
function wordsOf(example: string): readonly string[] {
  const words = example.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.slice(1).map((word) => word.replace(/^(['"])(.*)\1$/s, '$2'));
}
