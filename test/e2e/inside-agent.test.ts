import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ClaudeCodeLog } from '../support/claude-code.js';

const home = mkdtempSync(path.join(tmpdir(), 'ctx-inside-'));
const session = path.join(home, 's.jsonl');
const log = new ClaudeCodeLog();
log.user('Count the boats.');
log.answer('msg_1', { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } });
writeFileSync(session, log.text);
afterAll(() => rmSync(home, { recursive: true, force: true }));

function run(
  args: readonly string[],
  input: string | Readonly<Record<string, unknown>>,
  more: { readonly env?: object } = {},
) {
  const text =
    typeof input === 'string' ? input : JSON.stringify({ transcript_path: session, session_id: 's', ...input });
  const env = { PATH: process.env['PATH'], HOME: home, ...more.env };
  const { stdout, stderr, status } = spawnSync(process.execPath, [path.resolve('bin/ctx.js'), ...args], {
    input: text,
    env,
    cwd: home,
    encoding: 'utf8',
  });
  return { stdout, stderr, status };
}

const AFTER = { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_use_id: 'toolu_1' };

describe('a command that an agent waits for', () => {
  it('answers without the rest of the command line as with it', () => {
    const short = run(['guard', 'budget', '--calls', 'bash=1', '--calls=x=5', '--action', 'stop'], AFTER);
    const whole = run(['guard', 'budget', '--calls', 'bash=1', '--action', 'stop', '--no-config'], AFTER);
    expect(short).toEqual(whole);
    expect(JSON.parse(short.stdout)).toMatchObject({
      continue: false,
      stopReason: expect.stringContaining('1 call of bash'),
    });
    const status = { context_window: { context_window_size: 200_000, total_input_tokens: 50_000, current_usage: {} } };
    expect(run(['statusline', '--compact-at=150k'], status)).toMatchObject({
      stdout: expect.stringMatching(/^context 25% of 200k, compacts in 100k/),
      status: 0,
    });
  });

  it('prints help, and fails with 1 for a wrong command line', () => {
    expect(run(['guard', 'budget', '--help'], '')).toMatchObject({
      stdout: expect.stringContaining('--repeat'),
      status: 0,
    });
    expect(run(['guard', 'budget', '--context', 'lots'], AFTER)).toMatchObject({ stdout: '', status: 1 });
    expect(run(['statusline', '--colour', 'red'], AFTER)).toMatchObject({ stdout: '', status: 1 });
  });

  it('fails with 1 where the process ends before the command', () => {
    const never =
      "import fs from 'node:fs'; fs.createReadStream = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) });";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(never)}` };
    expect(run(['guard', 'compaction'], '', { env })).toMatchObject({
      stderr: expect.stringContaining('the process ended before the command did'),
      status: 1,
    });
  });

  it.each([
    [['-C'], 2],
    [['guard', 'compaction', '-C'], 1],
  ])('explains %j, which is no command line', (args, status) => {
    const { stderr, ...end } = run(args, '');
    expect(stderr.split('\n')).toHaveLength(2);
    expect(end.status).toBe(status);
  });

  it('saves facts in one file that only the user can read', () => {
    for (const times of [1, 2]) {
      expect(run(['guard', 'compaction'], { hook_event_name: 'PreCompact' }), `${times}`).toEqual({
        stdout: '',
        stderr: '',
        status: 0,
      });
      const folder = path.join(home, '.local/share/ctx/compactions');
      expect(readdirSync(folder)).toEqual(['s.json']);
      const file = path.join(folder, 's.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ schema: 'ctx/compaction-record', compactions: 0 });
    }
  });

  it('keeps its place where only the user can read it', () => {
    run(['guard', 'budget', '--calls', 'bash=1'], AFTER);
    const folder = path.join(home, '.cache/ctx');
    const modes = readdirSync(folder).map((name) => statSync(path.join(folder, name)).mode & 0o777);
    expect(modes.length).toBeGreaterThan(0);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });
});
