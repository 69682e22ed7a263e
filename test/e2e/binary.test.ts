import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Log } from '../fixtures/log.js';
import { READING } from '../security/every-command.js';
import { projectFolder } from '../support/files.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
const weather = path.join(projectFolder, 'fixtures/weather.jsonl');
/** In bytes: a little more than V8 puts into one string. */
const TOO_LONG = 2 ** 29 + 2 ** 20;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-e2e-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(
  args: readonly string[],
  options: { readonly input?: Uint8Array } = {},
): Promise<{ exitCode: number | undefined; stdout: string; stderr: string }> {
  const { exitCode, stdout, stderr } = await execa(binary, args, { reject: false, ...options });
  return { exitCode, stdout, stderr };
}

/** Makes a file in the temporary folder, with zeros behind its text up to a size. */
function file(name: string, text: string, size?: number): string {
  const made = path.join(folder, name);
  writeFileSync(made, text);
  if (size !== undefined) truncateSync(made, size);
  return made;
}

/** A bundle, and all that it imports at once. */
function listImported(name: string, read: (name: string) => string, found = new Set<string>()): readonly string[] {
  if (found.has(name)) return [...found];
  found.add(name);
  for (const [, next = ''] of read(name).matchAll(/\b(?:from|import)"\.\/([^"]+)"/g)) listImported(next, read, found);
  return [...found];
}

describe('the built program', () => {
  it('loads at every start neither zod nor threads, which take longer than all the rest', () => {
    const chunks = path.join(projectFolder, 'dist/cli');
    const read = (name: string): string => readFileSync(path.join(chunks, name), 'utf8');
    const marks = /\$ZodType|\bfrom"node:worker_threads"/;
    const start = listImported('main.js', read).map(read);
    expect(start.some((text) => text.includes('function renderMessages('))).toBe(true);
    expect(start.filter((text) => marks.test(text))).toEqual([]);
    const marked = readdirSync(chunks).filter((name) => name.endsWith('.js') && marks.test(read(name)));
    expect(marked.length).toBeGreaterThan(1);
  });

  it('shows a session', async () => {
    expect(await run(['show', weather])).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Forecast shows the wrong day\n/) as string,
    });
  });

  it('reads standard input', async () => {
    const { stdout } = await run(['show', '-', '--json'], { input: readFileSync(weather) });
    const fromFile = await run(['show', weather, '--json']);
    expect(JSON.parse(stdout)).toEqual({
      ...JSON.parse(fromFile.stdout),
      session: { ...JSON.parse(fromFile.stdout).session, file: '-' },
    });
  });

  it('reads a pipe that is named as a file', () => {
    const shown = execFileSync('bash', ['--norc', '-c', `${binary} show <(cat ${weather})`], { encoding: 'utf8' });
    expect(shown).toContain('Forecast shows the wrong day');
  });

  it('ends quietly when its reader goes away', () => {
    const long = file(
      'long.jsonl',
      Array.from({ length: 300 })
        .reduce<Log>((log, _, at) => log.user(`u${at}`, 'x'.repeat(2000)), new Log('long'))
        .text(),
    );
    for (const flags of ['--full', '--each', '--json']) {
      const script = `set -o pipefail; ${binary} show ${long} ${flags} | head -n 1 >/dev/null; echo "$?"`;
      expect(
        execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
        flags,
      ).toBe('0\n');
    }
  });

  it('changes nothing of what it reads, not even a missing newline', async () => {
    const torn = file('torn.jsonl', readFileSync(weather, 'utf8').trimEnd());
    const before = {
      hash: createHash('sha256').update(readFileSync(torn)).digest('hex'),
      modified: statSync(torn).mtimeMs,
    };
    await run(['show', torn]);
    expect({
      hash: createHash('sha256').update(readFileSync(torn)).digest('hex'),
      modified: statSync(torn).mtimeMs,
    }).toEqual(before);
  });

  it('prints the same on any machine', async () => {
    const program = path.join(projectFolder, 'test/security/run-all.cjs');
    const lines = Object.entries(READING).flatMap(([command, runs]) =>
      runs.map((flags) => [...command.split(' '), weather, ...flags]),
    );
    const printed = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const args = [program, binary, JSON.stringify(lines), path.join(folder, 'answer.json')];
      const own = { HOME: folder, CTX_INDEX_DIR: '', ...env };
      const { stdout } = await execa(process.execPath, args, { cwd: folder, env: own });
      // New entries have random ids.
      return stdout.replaceAll(/\b[0-9a-f]{8,}\b/g, 'id');
    };
    const here = await printed({ TZ: 'UTC', LC_ALL: 'C' });
    expect(here.length).toBeGreaterThan(100_000);
    expect(await printed({ TZ: 'Pacific/Auckland', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' })).toBe(here);
  });
});

describe('bad input is one clear line', () => {
  const isRoot = process.getuid?.() === 0;
  const cases: readonly (readonly [string, () => string, RegExp])[] = [
    ['a missing file', () => path.join(folder, 'none.jsonl'), /no such file/],
    ['a folder', () => folder, /this is a folder/],
    ['a device', () => '/dev/null', /this is a device/],
    ['a file below a file', () => path.join(weather, 'x.jsonl'), /no such file/],
    ['a program', () => '/bin/sh', /this looks like a binary file, not a session/],
    ['an empty file', () => file('empty.jsonl', ''), /the file is empty/],
    [
      'one line of half a gigabyte',
      () => file('line.jsonl', '{', TOO_LONG),
      /line 1: the line is longer than the maximum length of a string/,
    ],
    ...(isRoot
      ? []
      : [
          [
            'a file without permission',
            () => {
              const made = file('secret.jsonl', 'x');
              chmodSync(made, 0);
              return made;
            },
            /no permission/,
          ] as const,
        ]),
  ];

  it.each(cases)('%s', async (_what, make, message) => {
    const { exitCode, stdout, stderr } = await run(['show', make()]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^ctx: [^\n]+$/);
  });

  it('a line of half a gigabyte inside a session is skipped', async () => {
    const { exitCode, stdout, stderr } = await run([
      'show',
      file('inside.jsonl', new Log('big').user('u1', 'before it').text(), TOO_LONG),
    ]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^ctx: warning: line-too-long on line 3: [^\n]+\nctx: for details: [^\n]+$/,
      ) as string,
    });
    expect(stdout).toContain('before it');
  });
});
