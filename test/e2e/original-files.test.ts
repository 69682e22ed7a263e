import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { forgePlan, listOriginalSessions, listWritingLines } from '../support/original-sessions.js';
import { tried } from '../support/runs.js';

const root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'ctx-originals-')));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const binary = path.join(projectFolder, 'bin/ctx.js');
const program = path.join(projectFolder, 'test/security/run-all.cjs');

/** The calls of the system that open a file, or change it, its name or its times. */
const CALLS =
  'open,openat,openat2,creat,truncate,ftruncate,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,' +
  'chmod,fchmodat,chown,fchownat,lchown,utime,utimes,utimensat,setxattr,fallocate';

/** Whether calls of the system can be watched: Linux with strace, where it may trace. */
const canWatch =
  spawnSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=openat', '-o', '/dev/null', 'true']).status === 0;
if (!canWatch) console.warn('left out: strace cannot watch the calls of the system');

/** What would change with a write: also the times, which the system sets. */
function describeFile(file: string): string {
  const { ino, size, mtimeNs, ctimeNs, mode } = fs.statSync(file, { bigint: true });
  return [file, ino, size, mtimeNs, ctimeNs, mode, fs.readFileSync(file).toString('base64')].join(' ');
}

/** Runs command lines of the built program in one process. Returns the calls of the system; none where they are not watched. */
function runAll(folder: string, lines: readonly (readonly string[])[]): readonly string[] {
  const log = path.join(folder, 'calls');
  const node = [process.execPath, program, binary, JSON.stringify(lines), path.join(folder, 'answer.json')];
  const watch = canWatch
    ? ['strace', '-f', '--seccomp-bpf', '-qq', '-s', '4096', '-e', `trace=${CALLS}`, '-o', log]
    : [];
  const [command = '', ...args] = [...watch, ...node];
  const work = path.join(folder, 'work');
  const { status } = spawnSync(command, args, {
    cwd: work,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: path.join(folder, 'home'),
      TZ: 'UTC',
      CTX_INDEX_DIR: path.join(folder, 'index'),
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  expect(status).toBe(0);
  const runs = JSON.parse(fs.readFileSync(path.join(folder, 'answer.json'), 'utf8')) as readonly unknown[];
  expect(runs).toHaveLength(lines.length);
  return canWatch ? fs.readFileSync(log, 'utf8').split('\n') : [];
}

/** Whether a call may change the file that it names. */
function isWrite(call: string): boolean {
  return !/\bopen(?:at2?)?\(/.test(call) || /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(call);
}

const sessions = listOriginalSessions('HOME').map((session, nth) => ({ ...session, nth }));

describe.each(sessions)('the session of $agent on a disk', ({ agent, nth, ...original }) => {
  const folder = path.join(root, agent.replaceAll(' ', '-'));
  const inFolder = (name: string): string => name.replace(/^HOME/, path.join(folder, 'home'));
  const names = Object.keys(original.files).map(inFolder);
  // Each line is tried with two agents. Without a disk, each agent tries half of them: see original-sessions.test.ts.
  const lines = [
    ['apply', 'forged.json', '--yes'],
    ['export', inFolder(original.file), '--format', 'markdown', '-o', 'new.jsonl'],
    ...tried(listWritingLines(inFolder(original.file)), 7, nth),
  ];

  it('is neither opened for writing nor changed, whatever the command and its flags', () => {
    fs.mkdirSync(path.join(folder, 'work'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'work/s.md'), 'S.');
    for (const [name, content] of Object.entries(original.files)) {
      fs.mkdirSync(path.dirname(inFolder(name)), { recursive: true });
      fs.writeFileSync(inFolder(name), content);
    }
    const forged = forgePlan(inFolder(original.file), original.files[original.file] ?? '');
    fs.writeFileSync(path.join(folder, 'work/forged.json'), forged);
    const before = names.map(describeFile);
    const calls = runAll(folder, lines);
    expect(names.map(describeFile)).toEqual(before);
    expect(fs.existsSync(path.join(folder, 'work/new.jsonl'))).toBe(true);
    if (!canWatch) return;
    // The watch sees what is read and what is written.
    const ofOriginals = calls.filter((call) => names.some((name) => call.includes(`"${name}"`)));
    expect(ofOriginals.length).toBeGreaterThan(5);
    expect(calls.some((call) => call.includes('new.jsonl') && isWrite(call))).toBe(true);
    expect(ofOriginals.filter(isWrite)).toEqual([]);
  });
});
