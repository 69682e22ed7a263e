import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytes, HEADER, lines, user } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';

const CLAUDE =
  '{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"Hi"}}\n';

const OPENCODE = '{"id":"m","sessionID":"s","role":"user","time":{"created":1}}';
const COWORK = '{\n  "sessionId": "s",\n  "cliSessionId": "c"\n}\n';
/** The first bytes of a frame. */
const ZSTD = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 4, 0, 1]);

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

describe('a file that is no Pi session', () => {
  it.each<readonly [said: string, content: string | Uint8Array]>([
    ['an opencode session (JSON), in a format that ctx does not read: s.jsonl: export the session', OPENCODE],
    ['a Claude Cowork session (JSON), in a format that ctx does not read: s.jsonl: read the transcript', COWORK],
    ['the file is compressed with gzip: s.jsonl: decompress it: gzip -dc s.jsonl | ctx show -', gzipSync('some text')],
    [
      'this looks like the database of opencode, not a session: s.jsonl: rename it to opencode.db, and list its sessions: ctx ls opencode.db',
      `SQLite format 3\0\u0010\0\0tablepartpart\u0007CREATE TABLE \`part\` (\`id\` text PRIMARY KEY)`,
    ],
    ['the file is compressed with zstd: s.jsonl: decompress it: zstd -dc s.jsonl | ctx show -', ZSTD],
  ])('has a way to be read: %s', async (said, content) => {
    const { exitCode, stderr } = await ctx(['show', 's.jsonl'], { files: { 's.jsonl': content } });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(said)]);
  });

  it.each<readonly [what: string, content: string | Uint8Array]>([
    ['junk before its entries', `junk\n${lines(user('a', null, 'Hi'))}`],
    ['no header, and text of another', lines(user('a', null, 'A "parentUuid": here, "isSidechain":'))],
    ['a header that is late', lines(user('a', null, 'Hi'), HEADER)],
    ['NUL bytes before it', `\0\0${lines(HEADER)}`],
  ])('is not a damaged session: %s', async (_what, content) => {
    const { stdout, stderr } = await ctx(['check', 's.jsonl'], { files: { 's.jsonl': content } });
    expect(stdout + stderr).not.toContain('looks like');
  });

  it.each<readonly [what: string, content: string, hint: string]>([
    ['the output of pi --mode json', lines(HEADER, { type: 'agent_start' }, { type: 'turn_start' }), 'find it: ctx ls'],
    ['the output of pi --mode json', lines({ type: 'message_end', message: { role: 'user' } }), 'find it: ctx ls'],
    [
      'the output of claude --output-format stream-json',
      line({ type: 'system', subtype: 'init', cwd: '/c', session_id: 's', tools: [] }),
      'find it: ctx ls',
    ],
    ['the output of codex exec --json', line({ type: 'thread.started', thread_id: 't' }), 'find it: ctx ls'],
    [
      'a trajectory log of OpenClaw',
      line({ traceSchema: 'openclaw-trajectory', schemaVersion: 1, type: 'session.started', data: {} }),
      'read the session beside it',
    ],
    [
      'a workflow journal of Claude Code',
      line({ type: 'result', agentId: 'a7', result: 'fine' }),
      'read the sessions of its agents',
    ],
  ])('is named, with the way to the session: %s', async (what, content, hint) => {
    const files = { '/f/s.jsonl': content };
    for (const argv of [['show'], ['check'], ['stats'], ['repair', '--dry-run']]) {
      const { exitCode, stdout, stderr } = await ctx([...argv, '/f/s.jsonl'], { files });
      expect([argv[0], exitCode, stdout]).toEqual([argv[0], 3, '']);
      expect(stderr).toContain(`this looks like ${what}, not a session`);
      expect(stderr).toContain(hint);
    }
  });

  it('is passed over in a folder of sessions if it is a log beside them', async () => {
    const log = line({ traceSchema: 'openclaw-trajectory', schemaVersion: 1, type: 'model.completed', data: {} });
    const journal = lines({ type: 'started', key: 'k', agentId: 'a7' }, { type: 'result', agentId: 'a7', result: [1] });
    const files = {
      '/f/a.jsonl': lines(HEADER, user('u', null, 'Hi')),
      '/f/a.trajectory.jsonl': log,
      '/f/a/subagents/workflows/wf_3/journal.jsonl': journal,
    };
    const checked = await ctx(['check', '/f'], { files });
    const logs = /trajectory|journal/;
    expect([checked.exitCode, checked.stdout + checked.stderr]).toEqual([0, expect.not.stringMatching(logs)]);
    const listed = await ctx(['ls', '/f'], { files });
    expect(listed.stdout + listed.stderr).not.toMatch(logs);
  });

  it('is not recognised by what a tool was called with, or by the text of a session without a header', async () => {
    const call = { type: 'toolCall', id: 'c', name: 'x', arguments: { sessionID: 's', parentUuid: null, kind: 0 } };
    const answer = { role: 'assistant', content: [call], data: {}, type: 'session.start' };
    const entry = { type: 'message', id: 'a', parentId: null, timestamp: '2026-01-01T00:00:00Z', message: answer };
    const repaired = await ctx(['repair', 's.jsonl', '--dry-run'], { files: { 's.jsonl': lines(entry) } });
    expect(repaired.stdout).toContain('header added');
  });

  it('is not made of what only begins like one', async () => {
    const files = { 's.jsonl': bytes(`${lines(HEADER)}# Title\n`) };
    expect((await ctx(['show', 's.jsonl'], { files })).exitCode).toBe(0);
  });
});

it('ctx report refuses a folder without a session, as ctx ls and ctx stats do', async () => {
  const files = { '/d/README.md': '# Title\n', '/d/x.jsonl': CLAUDE };
  const { exitCode, stderr } = await ctx(['report', '/d', '--output', '/r.html'], { files });
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('no session in this folder')]);
});
