import { describe, expect, it } from 'vitest';
import { buildProtection } from '#change/prune/protection.js';
import { entry, HEADER, lines, TALK } from '../support/entries.js';
import { ctx } from '../support/memory-io.js';
import { fixtureText } from './hostile-session.js';

const weather = fixtureText('weather.jsonl');
const NFC = 'r\u00e9sum\u00e9';
const NFD = 're\u0301sume\u0301';

/** What a command prints, without where things stand in the file. */
async function printed(argv: readonly string[], files: Readonly<Record<string, string>>): Promise<string> {
  const { exitCode, stdout, stderr } = await ctx(argv, { files });
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
}

describe('line breaks of Windows', () => {
  it.each([
    ['show', ['show', 's.jsonl', '--json']],
    ['log', ['log', 's.jsonl', '--json']],
    ['tree', ['tree', 's.jsonl', '--filter', 'all']],
    ['cache', ['cache', 's.jsonl', '--each']],
    ['a diff', ['diff', 's.jsonl', 'HEAD~4..HEAD', '--json']],
  ])('change nothing of what a session says: %s', async (_what, argv) => {
    const unix = await printed(argv, { 's.jsonl': weather });
    expect(await printed(argv, { 's.jsonl': weather.replaceAll('\n', '\r\n') })).toBe(unix);
  });

  it('may stand alone inside a text, and are no line breaks then', async () => {
    const text = 'one\rtwo';
    const session = lines(HEADER, entry('message', 'u1', null, { message: { role: 'user', content: text } }));
    expect(await printed(['show', 's.jsonl', '--message', '1'], { 's.jsonl': session })).toContain('one␍two');
  });

  it('of a Mac before 2001 are no line breaks, so there is no session', async () => {
    const { exitCode, stderr } = await ctx(['show', 's.jsonl'], {
      files: { 's.jsonl': weather.replaceAll('\n', '\r') },
    });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('not a Pi session')]);
  });

  it.each([
    ['a patch', 'p.json', ['apply', 's.jsonl', 'p.json', '--dry-run'], []],
    ['a baseline', 'b.json', ['show', 's.jsonl', '--baseline', 'b.json'], { limit: 1000 }],
  ])('may stand behind a byte order mark in %s', async (_what, name, argv, value) => {
    const text = `\ufeff${JSON.stringify(value, null, 2).replaceAll('\n', '\r\n')}\r\n`;
    const { exitCode, stderr } = await ctx(argv, { files: { 's.jsonl': weather, [name]: text } });
    // There is nothing in the patch.
    expect([exitCode, stderr]).not.toEqual([expect.anything(), expect.stringContaining('not JSON')]);
    expect(exitCode).not.toBe(70);
  });
});

describe('paths of Windows', () => {
  const there = lines({ ...HEADER, id: 'there', cwd: String.raw`C:\Users\ada\weather` }, ...TALK);
  const sessions = '/home/ada/.pi/agent/sessions';

  it('name the folder of a session as Pi names it', async () => {
    const files = {
      [`${sessions}/--C--Users-ada-weather--/2026-01-01T00-00-00-000Z_there.jsonl`]: there,
      [`${sessions}/--home-ada-weather--/2026-01-02T00-00-00-000Z_here.jsonl`]: lines({ ...HEADER, id: 'here' }),
    };
    const { stdout } = await ctx(['show', 'latest', '--json'], { files, cwd: String.raw`C:\Users\ada\weather` });
    expect(JSON.parse(stdout)).toMatchObject({ session: { id: 'there' } });
  });

  it.each([
    [String.raw`C:\Users\ada`, 1],
    [String.raw`c:\users\ADA\weather`, 1],
    ['C:/Users/ada/weather', 1],
    [String.raw`C:\Users\ada\wea`, 0],
    [String.raw`D:\Users\ada`, 0],
    [String.raw`\\server\share`, 0],
  ])('are looked for as %s', async (folder, count) => {
    const { stdout } = await ctx(['ls', 'all', '--cwd', folder, '--json'], { files: { 'all/s.jsonl': there } });
    expect(stdout.split('\n').filter(Boolean)).toHaveLength(count);
  });

  it.each([
    String.raw`C:\sessions\s.jsonl`,
    String.raw`C:\me@home\s..1.jsonl`,
    '../a@b/s.jsonl',
    String.raw`\\server\share\s.jsonl`,
    'with space & $HOME.jsonl',
  ])('can hold a colon, an at sign and dots in front of a revision: %s', async (file) => {
    const files = { [file]: weather };
    const expected = await printed(['diff', file, 'HEAD~3..HEAD', '--name-only'], files);
    expect(await printed(['diff', `${file}@HEAD~3`, `${file}@HEAD`, '--name-only'], files)).toBe(expected);
    expect(await printed(['diff', file, 'HEAD~3', 'HEAD', '--name-only'], files)).toBe(expected);
  });

  it.each([
    [['keys/**'], '/work/keys/a.pem'],
    [['./keys/*.pem'], 'keys/a.pem'],
    [['/work/**'], '/work/keys/a.pem'],
    [['*.pem'], '/work/keys/a.pem'],
    [['secret.env'], String.raw`C:\work\secret.env`],
    [['**/keys/**'], String.raw`C:\work\keys\a.pem`],
    [['keys/*'], 'keys\\a.pem'],
    [[`${NFC}.txt`], `notes/${NFD}.txt`],
    [[`${NFD}.txt`], `${NFC}.txt`],
  ])('are protected by %j: %s', (paths, path) => {
    const protects = buildProtection({ tools: [], paths, roles: [], labels: [] }, new Map());
    const use = { name: 'read', args: { path }, callAt: 0, resultAt: 1, callId: 'c1' };
    const message = { kind: 'toolResult', from: { entryId: 'r1' } };
    expect(protects(message as never, [use as never])).toContain('is protected');
    expect(protects(message as never, [{ ...use, args: { path: 'C:/other.txt' } } as never])).toBeNull();
  });
});
