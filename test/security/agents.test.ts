import { describe, expect, it } from 'vitest';
import { ctx, type Ran } from '../support/memory-io.js';
import { listOriginalSessions } from '../support/original-sessions.js';
import { tried } from '../support/runs.js';
import { READING } from './every-command.js';
import { changeValues, MEMBER, poisonAgentValue, renameAgentValue, unsafeIn } from './hostile-session.js';

/** More than any stack holds. */
const LEVELS = 12_000;
const DEEP = `${'[{"a":'.repeat(LEVELS / 2)}1${'}]'.repeat(LEVELS / 2)}`;

const RUNS = Object.entries(READING).flatMap(([command, runs]) =>
  runs.slice(0, 1).map((flags) => [command, flags] as const),
);

describe.each(listOriginalSessions('/home/ada').map((session, nth) => ({ ...session, nth })))(
  'a hostile session of $agent',
  ({ files, file, nth }) => {
    const text = Buffer.from(files[file] ?? '').toString();
    // Where not all is tried, each command is tried with two agents or three.
    const commands = tried(RUNS, 6, nth);

    function run(session: string, command: string, flags: readonly string[]): Promise<Ran> {
      const argv = [...command.split(' '), file, ...flags];
      return ctx(argv, { files: { ...files, [file]: session }, env: { HOME: '/home/ada' } });
    }

    it('prints nothing that a terminal would obey, or that hides text', async () => {
      const session = changeValues(text, (value) => poisonAgentValue(value));
      expect((await run(session, 'show', [])).exitCode).toBeLessThanOrEqual(1);
      for (const [command, flags] of commands)
        for (const format of flags.includes('--format') ? [[]] : [[], ['--json'], ['--format', 'markdown']]) {
          const { stdout, stderr } = await run(session, command, [...flags, ...format]);
          expect([command, format, unsafeIn(stdout), unsafeIn(stderr)]).toEqual([command, format, [], []]);
        }
    });

    it('has impossible numbers and times, which are ignored', async () => {
      const sessions = [
        // A finding quotes an impossible version.
        ...['1e999', '-1e999', '1e308', '"many"'].map((number) =>
          text.replaceAll(/(?<!"version":\s*)(?<=":\s*)-?\d[\d.]*/g, number),
        ),
        ...['+275760-09-13T00:00:00.001Z', '2026-02-30T00:00:00Z'].map((time) =>
          text.replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, JSON.stringify(time)),
        ),
      ];
      for (const [command, flags] of commands)
        for (const session of tried(sessions, 2, nth)) {
          const { exitCode, stdout, stderr } = await run(session, command, flags);
          expect([0, 1, 2, 3, 4], `${command}: ${stderr}`).toContain(exitCode);
          expect(stdout, command).not.toMatch(/\bNaN|Infinity|Invalid Date|\bundefined\b|\[object/);
        }
    });

    it('is nested deeper than any stack, and is read or refused', async () => {
      // Replaces the first text of each object that has one.
      const session = text.replaceAll(
        /(?<="(?:input|args|arguments|content|text|output|message)":\s*)"(?:[^"\\]|\\.)*"/g,
        DEEP,
      );
      for (const [command, flags] of commands) {
        const { exitCode, stderr } = await run(session, command, flags);
        expect([0, 1, 2, 3, 4], `${command}: ${stderr}`).toContain(exitCode);
      }
    });

    it('has names and keys of every object, and reads like any other', async () => {
      const known = Object.getOwnPropertyNames(Object.prototype);
      const [hostile, plain] = ['__proto__', '__protn__'].map((name) => changeValues(text, renameAgentValue(name)));
      for (const [command, flags] of commands) {
        const [one, other] = await Promise.all([hostile, plain].map((session) => run(session ?? '', command, flags)));
        expect([command, one?.exitCode]).toEqual([command, other?.exitCode]);
        expect(asPlain(one?.stdout)).toBe(asPlain(other?.stdout));
      }
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(known);
      expect(Object.getOwnPropertyDescriptor(Object.prototype, MEMBER)).toBeUndefined();
    });
  },
);

function asPlain(text = ''): string {
  return text
    .replaceAll(String.raw`\_`, '_')
    .replaceAll('__proto__', '__protn__')
    .replaceAll(/\b[0-9a-f]{8,}\b/g, 'hash')
    .replaceAll(/\S*…/g, '…');
}
