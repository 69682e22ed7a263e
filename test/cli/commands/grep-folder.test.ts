import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { openIndexIn } from '#platform/files/index-folder.js';
import { Log } from '../../fixtures/log.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const FILES = {
  'sessions/a.jsonl': new Log('a').user('u1', 'Where is the harbour?').assistant('a1', 'The harbour is west.').text(),
  'sessions/b.jsonl': new Log('b').user('u1', 'What is the weather?').assistant('a1', 'Rain.').text(),
  'sessions/c/d.jsonl': new Log('d')
    .user('u1', 'A harbour, escaped.')
    .text()
    .replace('harbour', String.raw`\u0068arbour`),
  'sessions/e.jsonl': 'no session, but a harbour\n',
};

function grep(...argv: readonly string[]): Promise<Ran> {
  return ctx(['grep', ...argv], { files: FILES });
}

describe('ctx grep in a folder', () => {
  it('prints the matches of each session below its name', async () => {
    const { stdout, stderr, exitCode } = await grep('harbour', 'sessions');
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').filter((line) => line.startsWith('sessions/'))).toEqual([
      'sessions/a.jsonl',
      'sessions/c/d.jsonl',
    ]);
    expect(stdout).toContain('The harbour is west.');
    expect(stdout).toContain('A harbour, escaped.');
    expect(stdout).not.toContain('Rain');
    expect(stderr).toContain('unreadable-session: sessions/e.jsonl');
  });

  it('names the file in the JSON of each match', async () => {
    const { stdout } = await grep('harbour', 'sessions/**/*.jsonl', '--json');
    const matches = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { readonly file: string; readonly text: string });
    expect(matches.map(({ file }) => file)).toEqual(['sessions/a.jsonl', 'sessions/a.jsonl', 'sessions/c/d.jsonl']);
    for (const match of matches) expect(schemas['grep-match'].safeParse(match)).toMatchObject({ success: true });
  });

  it('finds with a regular expression what it finds with the literal text', async () => {
    const plain = await grep('harbour', 'sessions', '--json');
    expect((await grep('h[a]rbour', 'sessions', '--json')).stdout).toBe(plain.stdout);
  });

  it('stops after --max matches in all sessions, counts with --count, and fails without a match', async () => {
    expect((await grep('harbour', 'sessions', '--json', '-n', '1')).stdout.trim().split('\n')).toHaveLength(1);
    const counts = (await grep('harbour', 'sessions', '--count', '--json')).stdout.trim().split('\n');
    expect(counts.map((text) => (JSON.parse(text) as { readonly matches: number }).matches)).toEqual([1, 1, 1]);
    expect(await grep('nowhere', 'sessions')).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('prints a total of --count, for people only', async () => {
    expect((await grep('harbour', 'sessions', '--count')).stdout).toMatch(/\n\n3 matches in 2 sessions\n$/);
    expect((await grep('nowhere', 'sessions', '--count')).stdout).toBe('0 matches in 0 sessions\n');
  });

  it('counts on a terminal what the model does not see in all sessions', async () => {
    const edited = (id: string): string => new Log(id).user('u1', 'a needle').edit('e1', 'u1', null).text();
    const files = { 'sessions/a.jsonl': edited('a'), 'sessions/b.jsonl': edited('b') };
    const onTerminal = async (...argv: readonly string[]): Promise<string> =>
      (await ctx(['grep', ...argv, '--no-color'], { files, isTerminal: true, columns: 200 })).stdout;
    const searched = (what: string, next: string): string =>
      `searched ${what} of 2 sessions; next: ${next}, all sessions: ctx grep needle all\n`;
    const hint = 'no match in the context; 2 matches are hidden by an edit: --where hidden\n';
    expect(await onTerminal('needle', 'sessions')).toBe(hint + searched('the context', '--where hidden, --where all'));
    expect(await onTerminal('needle', 'sessions', '--where', 'path')).toContain(searched('the path', '--where all'));
    expect((await ctx(['grep', 'needle', 'sessions'], { files })).stdout).toBe('');
  });

  it('opens no session that cannot hold the text, and none again for that text', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ctx-grep-'));
    const names = ['a', 'b', 'e'] as const;
    const files = Object.fromEntries(names.map((name) => [`/sessions/${name}.jsonl`, FILES[`sessions/${name}.jsonl`]]));
    const world = { files, index: openIndexIn(folder, 'ctx') };
    const opened = async (text: string, modified = {}): Promise<number> => {
      let count = 0;
      const onOpen: World['onOpen'] = (source) => {
        count += 1;
        return source;
      };
      const { stderr, stdout } = await ctx(['grep', text, '/sessions'], { ...world, modified, onOpen });
      const isFound = text === 'Rain';
      expect({ isNoted: stderr.startsWith('ctx: no match;'), isFound: stdout.includes(text) }).toEqual({
        isNoted: !isFound,
        isFound,
      });
      return count;
    };
    expect(await opened('lighthouse')).toBe(3);
    expect(await opened('lighthouse')).toBe(0);
    expect(await opened('Rain')).toBe(3 + 1);
    expect(await opened('Rain')).toBe(1);
    expect(await opened('lighthouse', { '/sessions/a.jsonl': 5 })).toBe(1);
    rmSync(folder, { recursive: true });
  });
});
