import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const ID = '019c8a59-e9dd-71f0-9ae3-4079fe9726a9';
const fixture = (name: string): Buffer => readFileSync(path.join(projectFolder, 'fixtures/agents', name));
const ROLLOUT = `/home/ada/.codex/sessions/2026/02/23/rollout-2026-02-23T12-54-34-${ID}.jsonl`;
const CHAT = '/home/ada/.gemini/tmp/0a/chats/session-2026-03-02T09-00-aabbccdd.json';
const files = { [ROLLOUT]: fixture('codex/rollout.jsonl'), [CHAT]: fixture('gemini-cli/session.json') };
const env = { HOME: '/home/ada' };

describe('the id of a session of another agent', () => {
  it.each([
    [ID, ROLLOUT],
    ['019c8a59', ROLLOUT],
    ['019c8a59-e9dd', ROLLOUT],
    ['aabbccdd', CHAT],
  ])('names its file: %s', async (id, file) => {
    const { stdout, exitCode } = await ctx(['show', id, 'HEAD~1', '--json'], { files, env });
    expect([exitCode, (JSON.parse(stdout) as { session: object }).session]).toEqual([
      0,
      expect.objectContaining({ file }),
    ]);
    for (const name of ['log', 'check', 'stats', 'report', 'diff'])
      expect((await ctx([name, id, ...(name === 'report' ? ['-o', '/r.html'] : [])], { files, env })).exitCode).toBe(0);
  });

  it('is an error if no session has it, or several', async () => {
    const none = await ctx(['show', '019c8a58'], { files, env });
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('no session id "019c8a58"')]);
    const copy = ROLLOUT.replace('/sessions/2026/02/23/', '/archived_sessions/');
    const both = await ctx(['show', '019c8a59'], { files: { ...files, [copy]: fixture('codex/rollout.jsonl') }, env });
    expect([both.exitCode, both.stderr]).toEqual([3, expect.stringContaining('is ambiguous')]);
  });

  it('is an entry of the latest session of Pi if that has it', async () => {
    const pi = '/home/ada/.pi/agent/sessions/--w--/2026-03-02T09-00-00-000Z_s1.jsonl';
    const lines = ['{"type":"session","version":3,"id":"s1"}', '{"type":"label","id":"aabbccdd","parentId":null}'];
    const { stdout } = await ctx(['show', 'aabbccdd', '--json'], { files: { ...files, [pi]: lines.join('\n') }, env });
    expect(stdout).toContain(pi);
  });
});

describe('ctx ls', () => {
  it('lists JSON documents of an agent, and names their command', async () => {
    const { stdout } = await ctx(['ls', '--agent', 'gemini-cli', '--json'], { files, env });
    expect(stdout).toContain(CHAT);
    const { stderr } = await ctx(['ls', '/home/ada/.gemini'], { files, env });
    expect(stderr).toContain('1 session of Gemini CLI: ctx ls /home/ada/.gemini --agent gemini-cli');
  });

  it('tells where the sessions of an agent without files are', async () => {
    const { stderr } = await ctx(['ls', '--agent', 'opencode'], { files, env });
    expect(stderr).toContain('save one: opencode export ID > session.json');
    const exported = { '/x/session.json': fixture('opencode/export.json') };
    const { stdout } = await ctx(['ls', '/x', '--agent', 'opencode'], { files: exported, env });
    expect(stdout).toContain('session.json');
  });

  it('tells a user without Pi how to list other agents', async () => {
    for (const name of ['ls', 'show'])
      expect((await ctx([name], { files, env })).stderr).toContain('ctx ls --agent all');
  });

  it('completes the names of agents', async () => {
    const { stdout } = await ctx(['completion', 'bash', '--', 'ctx', 'ls', '--agent', 'co'], { files, env });
    expect(stdout).toBe('codex\t\n:none\n');
  });
});
