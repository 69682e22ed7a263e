import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { appears } from '../support/appears.js';
import { projectFolder } from '../support/files.js';
import { tried } from '../support/runs.js';

const folder = fs.mkdtempSync(path.join(tmpdir(), 'ctx-interrupted-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const SESSION = fs.readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'));
/** The moments after the first sign of a write, in milliseconds, at which it is interrupted. */
const MOMENTS = tried([0, 1, 4, 16], 2);

interface Left {
  /** null: the signal ended the command. */
  readonly exitCode: number | null;
  readonly files: readonly string[];
}

/** Runs a command that writes, and sends it a signal some time after it has put something beside the session. */
async function interrupted(args: readonly string[], signal: NodeJS.Signals, wait: number): Promise<Left> {
  const here = fs.mkdtempSync(path.join(folder, 'run-'));
  fs.writeFileSync(path.join(here, 's.jsonl'), SESSION);
  const child = spawn(process.execPath, [path.join(projectFolder, 'bin/ctx.js'), ...args], {
    cwd: here,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: here },
  });
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
  await appears(here, () => fs.readdirSync(here).length > 1, ended);
  const until = performance.now() + wait;
  while (performance.now() < until);
  child.kill(signal);
  const exitCode = await ended;
  expect(fs.readFileSync(path.join(here, 's.jsonl')).subarray(0, SESSION.length)).toEqual(SESSION);
  return { exitCode, files: fs.readdirSync(here).filter((name) => name !== 's.jsonl') };
}

describe.runIf(process.platform !== 'win32').each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  it('leaves no lock and no journal beside a session', async () => {
    for (const wait of MOMENTS)
      expect(await interrupted(['compact', 's.jsonl', '--yes', '--keep-recent', '100'], signal, wait)).toMatchObject({
        files: [],
      });
  });

  it.each([
    ['migrate', ['s.jsonl', '--compactions', '--output', 'new.jsonl']],
    ['extract', ['s.jsonl', '--output', 'new.jsonl']],
    ['compact', ['s.jsonl', '--keep-recent', '100', '--plan', 'new.jsonl']],
  ])('leaves the new file of ctx %s if the command ends well, and nothing if it was ended', async (command, args) => {
    for (const wait of MOMENTS) {
      const { exitCode, files } = await interrupted([command, ...args], signal, wait);
      expect({ exitCode, files }).toEqual({ exitCode, files: exitCode === null ? [] : ['new.jsonl'] });
    }
  });
});
