import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { ClaudeCodeLog } from '../../support/claude-code.js';
import { ctx, type Ran } from '../../support/memory-io.js';
import { diceOf } from '../../support/seeded-secrets.js';

const COMPACTED = new Log('c')
  .user('u1', 'Never touch the lighthouse.')
  .assistant('a1', 'I will not.')
  .user('u2', 'And the pier?')
  .compaction('k1', 'About a pier.', 'u2')
  .user('u3', 'Go on.')
  .text();

const FILES = {
  'sessions/a.jsonl': new Log('a').user('u1', 'Where is the harbour?').assistant('a1', 'The Harbour is west.').text(),
  'sessions/b.jsonl': new Log('b')
    .user('u1', 'The weather at sea: rain.')
    .assistant('a1', 'Rain, and no harbour.')
    .text(),
  'sessions/c.jsonl': COMPACTED,
  'sessions/e.jsonl': 'no session, but a harbour\n',
};

function find(...argv: readonly string[]): Promise<Ran> {
  return ctx(['find', ...argv, '--in', 'sessions'], { files: FILES });
}

async function findLines(...argv: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { stdout } = await find(...argv, '--json');
  const lines = stdout.split('\n').filter((text) => text !== '');
  return lines.map((text) => schemas['found-entry'].parse(JSON.parse(text)));
}

describe('ctx find', () => {
  it('prints the sessions with the words, each with what was found and the commands that go on from there', async () => {
    const { stdout, stderr, exitCode } = await find('harbour', 'west');
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')[0]).toContain('Where is the harbour?');
    expect(stdout).toContain('assistant: The Harbour is west.');
    expect(stdout).toContain('look: ctx show sessions/a.jsonl a1');
    expect(stdout).toContain('pi --session');
    expect(stdout).not.toContain('Rain');
    expect(stderr).toContain('unreadable-session');
  });

  it('finds beginnings of words, phrases and words without case, in lines of JSON that keep to their schema', async () => {
    expect(await findLines('HARB*')).toHaveLength(3);
    expect(await findLines('"harbour is west"')).toMatchObject([
      { entryId: 'a1', name: 'assistant', place: 'context' },
    ]);
    expect(await findLines('"west is harbour"')).toEqual([]);
  });

  it('marks what the model no longer sees, and finds only that or the rest where asked', async () => {
    expect(await findLines('lighthouse')).toMatchObject([{ entryId: 'u1', place: 'hidden' }]);
    expect((await find('lighthouse')).stdout).toContain('user (the model no longer sees it): Never touch');
    expect(await findLines('lighthouse', '--where', 'context')).toEqual([]);
    expect(await findLines('pier', '--where', 'context')).toHaveLength(2);
    expect(await findLines('pier', '--where', 'hidden')).toEqual([]);
  });

  it('finds entries with some of the words where none has all', async () => {
    const { stdout } = await ctx(['find', 'lighthouse', 'rain', '--in', 'sessions'], {
      files: FILES,
      isTerminal: true,
    });
    expect(stdout.split('\n')[0]).toContain('no entry has all 2 words; lighthouse: 1 session, rain: 1 session');
    expect((await findLines('lighthouse', 'rain')).map(({ sessionId }) => String(sessionId)).toSorted()).toEqual([
      'b',
      'b',
      'c',
    ]);
  });

  it('names the words that occur nowhere, and lists no sessions for words that most of them have', async () => {
    const log = (id: string, text: string): string => new Log(id).user('u1', text).text();
    const talks = ['1', '2', '3', '4', '5', '6', '7'].map((id) => [`s/${id}.jsonl`, log(id, `Go on ${id}`)] as const);
    const world = { files: { ...Object.fromEntries(talks), 's/w.jsonl': log('w', 'It hangs on Windows.') } };
    const { stdout } = await ctx(['find', 'flock', 'on', 'windows', '--in', 's'], world);
    expect(stdout.split('\n')[0]).toBe('no entry has all 3 words; flock: nowhere, on: 8 sessions, windows: 1 session');
    expect(stdout.match(/look:.*/g)).toEqual(['look: ctx show s/w.jsonl u1']);
    const json = await ctx(['find', 'flock', 'on', 'windows', '--in', 's', '--json'], world);
    expect([json.stdout.match(/\n/g)?.length, json.stderr]).toEqual([1, expect.stringContaining('flock: nowhere')]);
    const common = await ctx(['find', 'flock', 'on', '--in', 's'], world);
    expect(common).toMatchObject({ exitCode: 1, stdout: '' });
    expect(common.stderr).toContain('no entry has all 2 words; flock: nowhere, on: 8 sessions');
    const many = await ctx(['find', 'on', '--in', 's'], world);
    expect(many.stdout.match(/look:/g)).toHaveLength(5);
    expect(many.stdout).toContain('… and 3 more sessions: -n 20');
  });

  it('keeps to a role, a folder and a number of sessions', async () => {
    expect(await findLines('harbour', '--role', 'user')).toMatchObject([{ entryId: 'u1', sessionId: 'a' }]);
    expect(await findLines('harbour', '--cwd', '/elsewhere')).toEqual([]);
    const found = await findLines('harbour', '-n', '1');
    expect(new Set(found.map(({ file }) => file)).size).toBe(1);
  });

  it('fails where nothing is found, and where there is nothing to find', async () => {
    const nothing = await find('nowhere');
    expect(nothing).toMatchObject({ exitCode: 1, stdout: '' });
    expect(nothing.stderr).toContain('nothing found; searched 4 sessions');
    const [all, codex] = [await find('nowhere', 'all'), await find('nowhere', 'all:codex')];
    expect(all.stderr).toContain('"all" was one of the words: leave it out, since all sessions are searched');
    expect(codex.stderr).toContain('"all:codex" was one of the words: write --in all:codex');
    expect(await find()).toMatchObject({ exitCode: 2 });
    expect(await find('++')).toMatchObject({ exitCode: 2 });
  });

  it('folds copies of an entry into the original, and names them', async () => {
    const log = new Log('z').user('u1', 'Where is the harbour?').assistant('a1', 'The harbour is west.');
    const fork = log.text().replace(/^.*\n/, (header) => {
      const fields = { ...(JSON.parse(header) as object), id: 'fork', parentSession: 'z.jsonl' };
      return `${JSON.stringify(fields)}\n`;
    });
    const other = fork.replaceAll('"u1"', '"x1"').replaceAll('"a1"', '"x2"');
    const files = { 's/a-copy.jsonl': fork, 's/b-copy.jsonl': other, 's/z.jsonl': log.text() };
    const { stdout } = await ctx(['find', 'harbour', '--in', 's'], { files });
    expect(stdout).toContain('  also in 2 copies: s/a-copy.jsonl, s/b-copy.jsonl\n  look: ctx show s/z.jsonl ');
    expect(stdout.match(/look:/g)).toHaveLength(1);
    const found = await ctx(['find', 'west', '--in', 's', '--json'], { files });
    const line = schemas['found-entry'].parse(JSON.parse(found.stdout));
    expect(line).toMatchObject({ file: 's/z.jsonl', copies: ['s/a-copy.jsonl', 's/b-copy.jsonl'] });
  });

  it('prints no secret with --redact', async () => {
    const secret = `ghp_${diceOf(9)('A-Za-z0-9', 36)}`;
    const files = { 'sessions/s.jsonl': new Log('s').user('u1', `The harbour has ${secret} on it.`).text() };
    const { stdout } = await ctx(['find', 'harbour', '--in', 'sessions', '--redact'], { files });
    expect(stdout).toContain('REDACTED');
    expect(stdout).not.toContain(secret);
  });

  it('lets no title and no text of a session speak to the terminal or to the shell', async () => {
    const files = { 'sessions/s.jsonl': new Log('s').user('$(id)', '\u001b[31m harbour \u001b[0m').text() };
    const { stdout } = await ctx(['find', 'harbour', '--in', 'sessions'], { files });
    expect(stdout).not.toContain('\u001b[31m');
    expect(stdout).toContain(`ctx show sessions/s.jsonl '$(id)'`);
  });
});

describe('the command that goes on with a session of Claude Code', () => {
  const log = new ClaudeCodeLog();
  log.user('Where is the harbour?');
  const name = '0b1c2d3e-0000-4000-8000-00000000abcd.jsonl';

  async function resumeOf(file: string, cwd: string): Promise<unknown> {
    const world = { files: { [file]: log.text }, env: { HOME: '/home/ada' }, cwd };
    const { stdout } = await ctx(['find', 'harbour', '--in', file, '--json'], world);
    return schemas['found-entry'].parse(JSON.parse(stdout)).resume;
  }

  it('enters the folder of the session, where the client looks for it', async () => {
    const file = `/home/ada/.claude/projects/-home-ada-app/${name}`;
    expect(await resumeOf(file, '/home/ada/app')).toBe('claude --resume 0b1c2d3e-0000-4000-8000-00000000abcd');
    expect(await resumeOf(file, '/home/ada/weather')).toMatch(/^cd \/home\/ada\/app && claude --resume 0b1c2d3e/);
  });

  it('names the file of a session that is elsewhere', async () => {
    expect(await resumeOf('/backup/talk.jsonl', '/home/ada/app')).toBe(
      'claude --resume /backup/talk.jsonl --fork-session',
    );
  });
});
