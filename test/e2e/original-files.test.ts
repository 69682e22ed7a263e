import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** Whether a call may change the file that it names. */
function isWrite(call: string): boolean {
  return !/\bopen(?:at2?)?\(/.test(call) || /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(call);
}

const sessions = listOriginalSessions(path.join(root, 'home')).map((session, nth) => ({
  ...session,
  nth,
  work: path.join(root, 'work', session.agent.replaceAll(' ', '-')),
  names: Object.keys(session.files),
}));

/** What each session has before and after the command lines, and the calls of the system; none where they are not watched. */
const before = new Map<string, readonly string[]>();
let calls: readonly string[] = [];

beforeAll(() => {
  for (const { agent, file, files, work, names } of sessions) {
    fs.mkdirSync(work, { recursive: true });
    fs.writeFileSync(path.join(work, 's.md'), 'S.');
    for (const [name, content] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(name), { recursive: true });
      fs.writeFileSync(name, content);
    }
    fs.writeFileSync(path.join(work, 'forged.json'), forgePlan(file, files[file] ?? ''));
    before.set(agent, names.map(describeFile));
  }
  calls = runAll(sessions.flatMap(({ work, file, nth }) => [['cd', work], ...linesOf(file, nth)]));
});

/** Each line is tried with two agents. Without a disk, each agent tries half of them: see original-sessions.test.ts. */
function linesOf(file: string, nth: number): readonly (readonly string[])[] {
  return [
    ['apply', 'forged.json', '--yes'],
    ['export', file, '--format', 'markdown', '-o', 'new.jsonl'],
    ...tried(listWritingLines(file), 7, nth),
  ];
}

/** Runs command lines of the built program in one process. Returns the calls of the system; none where they are not watched. */
function runAll(lines: readonly (readonly string[])[]): readonly string[] {
  const [log, list, answer] = ['calls', 'lines.json', 'answer.json'].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  fs.writeFileSync(list, JSON.stringify(lines));
  const watch = ['strace', '-f', '--seccomp-bpf', '-qq', '-s', '4096', '-e', `trace=${CALLS}`, '-o', log];
  const node = [process.execPath, program, binary, `@${list}`, answer];
  const [command = '', ...args] = [...(canWatch ? watch : []), ...node];
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: path.join(root, 'home'),
    TZ: 'UTC',
    CTX_INDEX_DIR: path.join(root, 'index'),
  };
  const { status } = spawnSync(command, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'ignore'] });
  expect(status).toBe(0);
  const runs = JSON.parse(fs.readFileSync(answer, 'utf8')) as readonly unknown[];
  expect(runs).toHaveLength(lines.length - sessions.length);
  return canWatch ? fs.readFileSync(log, 'utf8').split('\n') : [];
}

describe.each(sessions)('the session of $agent on a disk', ({ agent, work, names }) => {
  it('is neither opened for writing nor changed, whatever the command and its flags', () => {
    expect(names.map(describeFile)).toEqual(before.get(agent));
    expect(fs.existsSync(path.join(work, 'new.jsonl'))).toBe(true);
    if (!canWatch) return;
    // The watch sees what is read and what is written.
    const ofOriginals = calls.filter((call) => names.some((name) => call.includes(`"${name}"`)));
    expect(ofOriginals.length).toBeGreaterThan(5);
    expect(calls.some((call) => call.includes('new.jsonl') && isWrite(call))).toBe(true);
    expect(ofOriginals.filter(isWrite)).toEqual([]);
  });
});
