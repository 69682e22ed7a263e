import { describe, expect, it } from 'vitest';
import { KnownFiles } from '#analysis/loss/known-files.js';
import { buildMentionFinder } from '#analysis/loss/summary-mentions.js';

function fileNames(paths: readonly string[], cwd: string | null) {
  const files = new KnownFiles(cwd);
  for (const path of paths) files.add(path);
  return (path: string) => files.namesOf(path);
}

const SUMMARY =
  'The user said: Never **touch** `src/legacy.js`!  It\nreads ../lib/a.ts, b.ts. and C:\\x\\c.ts (--dry-run; ENOENT).';

describe('a summary mentions', () => {
  it.each([
    ['a text word for word', 'never touch src/legacy.js', [], 'quoted'],
    ['a text whatever its marks, spaces and size of letters', '`SRC/legacy.js`!\n it  reads', [], 'quoted'],
    ['a text, though none of its names', 'The user said', ['a-name'], 'quoted'],
    ['nothing of an empty text', '', [], 'missing'],
    ['nothing of a text of marks', '**', [], 'missing'],
    ['nothing of a text in other words', 'Do not touch it', [], 'missing'],
    ['all names', 'x y z', ['src/legacy.js', 'b.ts', '--dry-run', 'enoent'], 'named'],
    ['all names of what is no text', null, ['src/legacy.js'], 'named'],
    ['some names', null, ['src/legacy.js', 'd.ts'], 'partly'],
    ['no names', null, ['d.ts', 'e.ts'], 'missing'],
    ['nothing where there is nothing', null, [], 'missing'],
    ['no name that is the end of a longer path', null, ['a.ts'], 'missing'],
    ['no name that is the end of a path of Windows', null, ['c.ts'], 'missing'],
    ['no name that is the end of a longer word', null, ['egacy.js'], 'missing'],
    ['no name that is the end of a flag', null, ['dry-run'], 'missing'],
    ['no name that is the beginning of a path', null, ['src'], 'missing'],
    ['no name that is the beginning of a longer word', null, ['ENOEN'], 'missing'],
    ['no name that is the beginning of a flag', null, ['--dry'], 'missing'],
    ['no name that is the beginning of a file name', null, ['b'], 'missing'],
    ['no name behind a full stop', null, ['ts'], 'missing'],
    ['a name before a full stop', null, ['b.ts'], 'named'],
  ] as const)('%s', (_, text, terms, mention) => {
    expect(buildMentionFinder(SUMMARY)({ text, terms })).toBe(mention);
  });

  it.each([
    ['a.ts', 'named'],
    ['see a.ts', 'named'],
    ['a.tsx, and later a.ts', 'named'],
    ['a.ts.', 'named'],
    ['a.ts.b', 'missing'],
    ['a.ts\\b', 'missing'],
    ['a.ts-b', 'missing'],
    ['x-a.ts', 'missing'],
    ['x_a.ts', 'missing'],
    ['/a.ts', 'missing'],
    ['.a.ts', 'missing'],
    ['', 'missing'],
  ])('a name wherever it stands by itself: %j', (summary, mention) => {
    expect(buildMentionFinder(summary)({ text: null, terms: ['a.ts'] })).toBe(mention);
  });
});

describe('a file', () => {
  const cwd = '/home/ada/weather';
  const files = ['/home/ada/weather/src/a.ts', 'src/b.ts', '/home/ada/weather/lib/b.ts', '~/notes/c.md', '/etc/hosts'];
  const names = fileNames(files, cwd);
  const isNamed = (file: string, summary: string): boolean => {
    return buildMentionFinder(summary, names)({ text: null, terms: [file] }) === 'named';
  };

  it.each([
    ['/home/ada/weather/src/a.ts', 'from the folder of the session', 'see src/a.ts.'],
    ['/home/ada/weather/src/a.ts', 'from home', 'see `~/weather/src/a.ts`'],
    ['/home/ada/weather/src/a.ts', 'by its own name, which no other has', 'A.ts was changed'],
    ['src/b.ts', 'by its absolute path', 'see /home/ada/weather/src/b.ts'],
    ['./src/../src/b.ts', 'without detours', 'see src/b.ts'],
    ['~/notes/c.md', 'by its absolute path', 'see /home/ada/notes/c.md'],
    ['/etc/hosts', 'by its own name', 'in hosts.'],
  ])('%s is known %s', (file, _, summary) => expect(isNamed(file, summary)).toBe(true));

  it.each([
    ['src/b.ts', 'by a name that another file has too', 'see b.ts'],
    ['src/b.ts', 'by the path of the other one', 'see lib/b.ts'],
    ['/home/ada/weather/src/a.ts', 'as the end of another path', 'see other/src/a.ts'],
  ])('%s is not known %s', (file, _, summary) => expect(isNamed(file, summary)).toBe(false));

  it('of Windows is known by the same kinds of names, with either slash', () => {
    const folder = String.raw`C:\Users\ada\weather`;
    const all = fileNames([String.raw`${folder}\src\a.ts`, 'src/b.ts', String.raw`..\b.ts`, '~/notes/c.md'], folder);
    const below = [String.raw`src\a.ts`, 'src/a.ts', String.raw`~\weather\src\a.ts`, '~/weather/src/a.ts', 'a.ts'];
    expect(all(String.raw`${folder}\src\a.ts`)).toEqual(expect.arrayContaining(below));
    expect(all('src/b.ts')).toContain('C:/Users/ada/weather/src/b.ts');
    expect(all('src/b.ts')).not.toContain('b.ts');
    expect(all('~/notes/c.md')).toContain(String.raw`C:\Users\ada\notes\c.md`);
  });

  it('is known by what the call says where no folder is recorded', () => {
    expect(fileNames(['src/a.ts'], null)('src/a.ts')).toEqual(['src/a.ts', 'a.ts']);
  });
});
