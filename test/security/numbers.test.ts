import { describe, expect, it } from 'vitest';
import { ctx } from '../support/memory-io.js';
import { tried } from '../support/runs.js';
import { READING } from './every-command.js';
import { fixtureText } from './hostile-session.js';

const NUMBERS = ['1e999', '-1e999', '1e308', '"many"'];
const TIMES = ['+275760-09-13T00:00:00.001Z', '2026-02-30T00:00:00Z', 'x'.repeat(1000)];

const weather = fixtureText('weather.jsonl');
const COUNTED = /"(input|output|cacheRead|cacheWrite|totalTokens|total|tokensBefore|timestamp)":[\d.e-]+/g;

const SESSIONS = [
  ...NUMBERS.map((number) => [number.slice(0, 30), weather.replaceAll(COUNTED, `"$1":${number}`)] as const),
  ...TIMES.map(
    (time) => [time.slice(0, 30), weather.replaceAll(/"timestamp":"[^"]*"/g, `"timestamp":"${time}"`)] as const,
  ),
];

const RUNS = Object.entries(READING).flatMap(([command, runs]) => runs.slice(0, 1).map((flags) => [command, ...flags]));

describe('impossible numbers and times are ignored:', () => {
  // Where not all is tried, the commands share the sessions.
  const rows = RUNS.map(([command = '', ...flags], nth) => [command, flags, tried(SESSIONS, 2, nth)] as const);

  it.each(rows)('ctx %s', async (command, flags, sessions) => {
    for (const [what, session] of sessions) {
      const { exitCode, stdout, stderr } = await ctx([...command.split(' '), 's.jsonl', ...flags], {
        files: { 's.jsonl': session },
      });
      expect([0, 1, 2, 3, 4], `${what}: ${stderr}`).toContain(exitCode);
      expect(stdout, what).not.toMatch(/\bNaN|Infinity|Invalid Date|\bundefined\b|\[object/);
    }
  });
});
