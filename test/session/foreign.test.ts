import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytes, HEADER, lines, user } from '../support/entries.js';
import { ctx } from '../support/memory-io.js';

const CLAUDE =
  '{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"Hi"}}\n';

describe('a file that is no Pi session', () => {
  it.each<readonly [what: string, content: string | Uint8Array]>([
    ['a Claude Code session', CLAUDE],
    ['a Codex session', '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"i"}}\n'],
    ['a Gemini CLI session', '{\n  "lastUpdated": "2026-01-01T00:00:00Z",\n  "messages": [\n  ]\n}\n'],
    ['a Gemini CLI session', '{"sessionId":"g","projectHash":"0b","kind":"main"}\n{"id":"u","type":"user"}\n'],
    ['Markdown', `# Title\n\n${'Some text.\n'.repeat(200)}`],
    ['plain text', 'MIT License\n\nCopyright\n'],
    ['a binary file', gzipSync('some text')],
  ])('is called what it looks like: %s', async (what, content) => {
    const files = { '/f/s.jsonl': content };
    const said = `ctx: this looks like ${what}; ctx reads Pi sessions: /f/s.jsonl: pass a file whose first line has type "session"\n`;
    for (const command of ['show', 'check']) {
      const { exitCode, stdout, stderr } = await ctx([command, '/f/s.jsonl'], { files });
      expect([command, exitCode, stdout, stderr]).toEqual([command, 3, '', said]);
    }
    const { stdout } = await ctx(['check', '/f', '/f/s.jsonl', '--format', 'json'], { files });
    expect(stdout).not.toContain('malformed-line');
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
