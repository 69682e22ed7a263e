import { describe, expect, it } from 'vitest';
import { mentionsIn } from '../../src/prune/mentions.js';
import { answered, asked, call, historyFrom, talk } from '../support/history.js';

describe('what the newest turn speaks of', () => {
  it.each(['a.ts', 'src/a.ts', '/home/ada/src/a.ts', '3f12b25a'])('%s: by any of its names', (name) => {
    const mentions = mentionsIn(historyFrom(talk(asked('u1', `Look at (/home/ada/src/a.ts), and entry 3f12b25a.`))));
    expect(mentions.inNewestTurn(name)).toBe(true);
    expect(mentions.inNewestTurn('b.ts')).toBe(false);
  });

  it('is found however long a word is', () => {
    const long = ['x', '.', ':', '/', 'a/', '0'].map((each) => each.repeat(400_000)).join(' ');
    const history = historyFrom(talk(asked('u1', `${long} a.ts`)));
    expect(mentionsIn(history).inNewestTurn('a.ts')).toBe(true);
  });
});

describe('the first place behind that speaks of a file', () => {
  const history = historyFrom(
    talk(
      asked('u1', 'src/a.ts'),
      asked('u2', 'other/src/b.ts'),
      asked('u3', 'lib/a.ts'),
      asked('u4', '/home/ada/src/a.ts'),
      asked('u5', 'c:\\src\\a.ts'),
      asked('u6', './xa.ts'),
    ),
  );

  it.each<[string, number, string | null]>([
    ['src/a.ts', -1, 'u1'],
    ['src/a.ts', 0, 'u4'],
    ['/home/ada/src/a.ts', -1, 'u1'],
    ['/home/ada/src/a.ts', 3, 'u5'],
    ['a.ts', 0, 'u3'],
    ['new/a.ts', -1, 'u5'],
    ['b.ts', -1, 'u2'],
    ['rc/b.ts', -1, null],
    ['xa.ts', 0, 'u6'],
    ['a.ts', 5, null],
  ])('of %s behind %i is %s', (path, at, id) => {
    expect(mentionsIn(history).firstBehind(path, at)?.from.entryId ?? null).toBe(id);
  });

  it('is found where very many files have one name', () => {
    const paths = Array.from({ length: 40_000 }, (_, nth) => `/p/d${nth}/index.ts`);
    const calls = paths.map((path, nth) => answered(`a${nth}`, call(`c${nth}`, 'read', { path })));
    const mentions = mentionsIn(historyFrom(talk(...calls)));
    expect(paths.every((path, at) => mentions.firstBehind(path, at) === null)).toBe(true);
  });
});
