import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openToAppend } from '#platform/files/append-file.js';
import { createNewFile } from '#platform/files/new-file.js';
import { walkFolder } from '#platform/files/walk-folder.js';
import { openFile } from '#session/scan/open-file.js';
import { projectFolder } from '../support/files.js';
import { fixtureText } from './hostile-session.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
const weather = fixtureText('weather.jsonl');
const isPosix = process.platform !== 'win32';

let folder = '';
let socket: Server | null = null;
const at = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'ctx-files-'));
  fs.writeFileSync(at('s.jsonl'), weather);
  fs.mkdirSync(at('all/below'), { recursive: true });
  fs.writeFileSync(at('all/s.jsonl'), weather);
  if (!isPosix) return;
  spawnSync('sh', ['-c', 'mkfifo "$0"', at('all/pipe.jsonl')]);
  fs.symlinkSync('/dev/zero', at('all/zero.jsonl'));
  fs.symlinkSync('nowhere', at('all/broken.jsonl'));
  fs.symlinkSync('..', at('all/below/circle'));
  socket = createServer().listen(at('all/socket.jsonl'));
  await new Promise((resolve) => socket?.once('listening', resolve));
});
afterAll(() => {
  socket?.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Runs the built program; whoever waits for what never comes is ended, and has no exit code. */
function run(argv: readonly string[], cwd = folder): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...argv], {
    cwd,
    env: { HOME: folder, PATH: process.env['PATH'] },
    encoding: 'utf8',
    timeout: 200_000,
    input: '',
  });
  return { status, said: stdout + stderr };
}

describe.runIf(isPosix)('what is no file', () => {
  it('is skipped in a folder: pipes without a writer, devices, sockets, dangling and cyclic links', () => {
    expect(walkFolder(at('all')).files.map(({ file }) => path.relative(folder, file))).toEqual(['all/s.jsonl']);
    expect(run(['ls', 'all', '--json']).said.trim().split('\n')).toHaveLength(1);
    expect(run(['check', 'all/*.jsonl', '--max-warnings', '9']).status).toBe(0);
  });

  it.each([
    ['a session', ['show', '/dev/zero'], 3],
    ['a baseline', ['show', 's.jsonl', '--baseline', '/dev/zero'], 3],
    ['a patch', ['apply', 's.jsonl', '/dev/zero'], 3],
    ['a plan', ['apply', '/dev/zero'], 3],
    ['a configuration', ['check', 's.jsonl', '--config', '/dev/zero'], 2],
  ])('is refused as %s', (_what, argv, status) => {
    expect(run(argv)).toEqual({ status, said: expect.stringMatching(/device|not a file/) as string });
  });

  it('is refused as a configuration that comes with a folder', () => {
    fs.mkdirSync(at('repository'));
    fs.symlinkSync('/dev/zero', at('repository/ctx.config.json'));
    const { status, said } = run(['check', at('s.jsonl')], at('repository'));
    expect([status, said]).toEqual([2, expect.stringContaining('not a file: ')]);
    // What only looks goes on without it.
    expect(run(['show', at('s.jsonl')], at('repository'))).toEqual({
      status: 0,
      said: expect.stringContaining('configuration ignored: ') as string,
    });
    expect(said).toContain('--no-config');
    expect(run(['check', at('s.jsonl'), '--no-config'], at('repository')).status).toBe(0);
  });
});

it.runIf(isPosix)('a pipe that comes with a folder as a configuration is not waited for', () => {
  fs.mkdirSync(at('piped'));
  spawnSync('sh', ['-c', 'mkfifo "$0"', at('piped/ctx.config.json')]);
  for (const command of ['show', 'check'])
    expect(run([command, at('s.jsonl')], at('piped'))).toEqual({
      status: 2,
      said: expect.stringContaining('not a file: ') as string,
    });
});

it('a folder is no session, but has some', async () => {
  fs.mkdirSync(at('my folder'));
  await expect(openFile(at('my folder'))).rejects.toMatchObject({
    message: 'this is a folder, not a session file',
    hint: `list its sessions: ctx ls '${at('my folder')}'`,
  });
});

describe('a file that changes while it is read', () => {
  it('is read as long as it was, when it grows', async () => {
    fs.writeFileSync(at('growing'), 'a'.repeat(1000));
    const source = await openFile(at('growing'));
    fs.appendFileSync(at('growing'), 'b'.repeat(1000));
    expect(Buffer.from(source.read(0, source.size)).toString()).toBe('a'.repeat(1000));
    source.close();
  });

  it('is read on, when another one takes its name', async () => {
    fs.writeFileSync(at('replaced'), 'a'.repeat(1000));
    const source = await openFile(at('replaced'));
    fs.writeFileSync(at('other'), 'b'.repeat(2000));
    fs.renameSync(at('other'), at('replaced'));
    expect(Buffer.from(source.read(0, source.size)).toString()).toBe('a'.repeat(1000));
    source.close();
  });

  it('is refused in a sentence, when it shrinks', async () => {
    fs.writeFileSync(at('shrinking'), 'a'.repeat(1000));
    const source = await openFile(at('shrinking'));
    fs.truncateSync(at('shrinking'), 10);
    expect(() => source.read(0, source.size)).toThrow('the file shrank while it was being read');
    source.close();
  });
});

describe.runIf(isPosix)('what stands in the way of a new file', () => {
  const options = { force: false, like: null };

  it.each([
    ['a file', () => fs.writeFileSync(at('there'), 'mine')],
    ['a link to a file', () => fs.symlinkSync(at('s.jsonl'), at('there'))],
    ['a link that leads nowhere', () => fs.symlinkSync(at('outside'), at('there'))],
  ])('stays as it is: %s', (_what, put) => {
    put();
    expect(() => createNewFile(at('there'), options)).toThrow('the file already exists');
    expect(fs.readFileSync(at('s.jsonl'), 'utf8')).toBe(weather);
    expect(fs.existsSync(at('outside'))).toBe(false);
    fs.rmSync(at('there'));
  });

  it.each([
    ['a device', '/dev/null', 'a device or a pipe'],
    ['a folder', '.', 'this is a folder'],
    ['a name with a NUL', 'a\0b', /.*/],
    ['a name that is too long', 'x'.repeat(5000), 'the file name is too long'],
  ])('is refused also where files may be replaced: %s', (_what, name, message) => {
    expect(() => createNewFile(path.resolve(folder, name), { ...options, force: true })).toThrow(message);
  });

  it('is named, where it has the name of the lock', async () => {
    fs.writeFileSync(at('s.jsonl.lock'), '');
    for (const time of [new Date(), new Date(0)]) {
      fs.utimesSync(at('s.jsonl.lock'), time, time);
      await expect(openToAppend(at('s.jsonl'))).rejects.toMatchObject({
        message: 'this file is in place of the lock folder',
        where: at('s.jsonl.lock'),
      });
    }
    fs.rmSync(at('s.jsonl.lock'));
  });
});

it.runIf(process.platform === 'linux')('a name that is not UTF-8 is left out with a word', () => {
  fs.mkdirSync(at('names'));
  fs.writeFileSync(at('names/s.jsonl'), weather);
  fs.writeFileSync(
    Buffer.concat([Buffer.from(`${at('names')}/`), Buffer.from([0xff]), Buffer.from('.jsonl')]),
    weather,
  );
  const { files, unreadable } = walkFolder(at('names'));
  expect([files.length, unreadable.map((name) => path.basename(name))]).toEqual([1, ['\ufffd.jsonl']]);
});
