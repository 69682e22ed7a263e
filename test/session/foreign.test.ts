import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytes, HEADER, lines, user } from '../support/entries.js';
import { ctx } from '../support/memory-io.js';

const CLAUDE =
  '{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"Hi"}}\n';

const OPENCODE = '{"id":"m","sessionID":"s","role":"user","time":{"created":1}}';
const COWORK = '{\n  "sessionId": "s",\n  "cliSessionId": "c"\n}\n';
/** The first bytes of a frame. */
const ZSTD = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 4, 0, 1]);

describe('a file that is no Pi session', () => {
  it.each<readonly [what: string, content: string | Uint8Array]>([
    ['a Claude Code session', CLAUDE],
    ['a Codex session', '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta"}\n'],
    ['a Gemini CLI session', '{\n  "lastUpdated": "2026-01-01T00:00:00Z",\n  "messages": [\n  ]\n}\n'],
    ['a Kimi CLI session', '{"type":"metadata","protocol_version":"1.9"}\n'],
    ['a Kiro session', '{"version":"v1","kind":"Prompt","data":{}}\n'],
    ['a Hermes session', '{\n  "session_id": "h",\n  "session_start": "2026-01-01T00:00:00"\n}\n'],
    ['Markdown', `# Title\n\n${'Some text.\n'.repeat(200)}`],
    ['plain text', 'MIT License\n\nCopyright\n'],
    ['a NAC session', '{"type":"session_meta","logical_id":"session:s"}\n'],
    ['a Cursor session', '{"role":"user","message":{"content":[]}}\n'],
    ['a Cursor session', '{"key": "composerData:1", "value": {}}\n'],
    ['a binary file', new Uint8Array([0, 1, 2, 255, 0])],
  ])('is called what it looks like: %s', async (what, content) => {
    const files = { '/f/s.jsonl': content };
    const said = what.endsWith('session')
      ? `ctx: this looks like ${what}, in a format that ctx does not read: /f/s.jsonl: see docs/add-an-agent.md in the source of ctx to add the format\n`
      : `ctx: this looks like ${what}, not a session: /f/s.jsonl: list the sessions that ctx reads: ctx ls --agent all\n`;
    for (const command of ['show', 'check']) {
      const { exitCode, stdout, stderr } = await ctx([command, '/f/s.jsonl'], { files });
      expect([command, exitCode, stdout, stderr]).toEqual([command, 3, '', said]);
    }
    const { stdout } = await ctx(['check', '/f', '/f/s.jsonl', '--format', 'json'], { files });
    expect(stdout).not.toContain('malformed-line');
  });

  it.each<readonly [said: string, content: string | Uint8Array]>([
    ['an opencode session, in a format that ctx does not read: s.jsonl: export the session', OPENCODE],
    ['a Claude Cowork session, in a format that ctx does not read: s.jsonl: read the transcript', COWORK],
    ['the file is compressed with gzip: s.jsonl: decompress it: gzip -dc s.jsonl | ctx show -', gzipSync('some text')],
    [
      'this looks like an SQLite database, not a session: s.jsonl: opencode keeps its sessions in one; save one as a file: opencode export ID > session.json',
      'SQLite format 3\0\u0010',
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
