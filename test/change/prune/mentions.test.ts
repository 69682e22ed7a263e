import { describe, expect, it } from 'vitest';
import { findMentionedUses, indexMentions } from '#change/prune/mentions.js';
import { answered, asked, call, historyFrom, result, type Said, talk } from '../../support/history.js';

describe('what the newest turn speaks of', () => {
  it.each(['a.ts', 'src/a.ts', '/home/ada/src/a.ts', '3f12b25a'])('%s: by any of its names', (name) => {
    const mentions = indexMentions(historyFrom(talk(asked('u1', `Look at (/home/ada/src/a.ts), and entry 3f12b25a.`))));
    expect(mentions.isInNewestTurn(name)).toBe(true);
    expect(mentions.isInNewestTurn('b.ts')).toBe(false);
  });

  it('is found however long a word is', () => {
    const long = ['x', '.', ':', '/', 'a/', '0'].map((each) => each.repeat(400_000)).join(' ');
    const history = historyFrom(talk(asked('u1', `${long} a.ts`)));
    expect(indexMentions(history).isInNewestTurn('a.ts')).toBe(true);
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
    expect(indexMentions(history).findFirstAfter(path, at)?.from.entryId ?? null).toBe(id);
  });

  it('is found where very many files have one name', () => {
    const paths = Array.from({ length: 40_000 }, (_, nth) => `/p/d${nth}/index.ts`);
    const calls = paths.map((path, nth) => answered(`a${nth}`, call(`c${nth}`, 'read', { path })));
    const mentions = indexMentions(historyFrom(talk(...calls)));
    expect(paths.every((path, at) => mentions.findFirstAfter(path, at) === null)).toBe(true);
  });
});

describe('a word that may be a name', () => {
  const speaks = (text: string, name: string): boolean =>
    indexMentions(historyFrom(talk(asked('u0', 'before'), answered('a0'), asked('u1', text)))).isInNewestTurn(name);

  it.each<[string, string, boolean]>([
    ['see a.ts.', 'a.ts', true],
    ['see a.ts:', 'a.ts', true],
    ['"src/a.ts":', 'src/a.ts', true],
    ['a.ts...', 'a.ts', true],
    ['a.ts:.:', 'a.ts', true],
    ['src\\a.ts', 'a.ts', true],
    ['c:\\src\\a.ts', 'c:\\src\\a.ts', true],
    ['c:\\src\\a.ts', 'b\\a.ts', true],
    ['src/a.ts', 'lib/a.ts', true],
    ['src/a.ts', 'src', false],
    ['the readme', 'readme', false],
    ['see .env', '.env', true],
    ['see x/', 'x/', false],
    ['0123abcd', '0123abcd', true],
    ['0123abc', '0123abc', false],
    ['0123abcg', '0123abcg', false],
    ['@scope/name~1+2', '@scope/name~1+2', true],
    ['a.ts,b.ts;c.ts', 'b.ts', true],
    ['a.ts b.ts', 'a.ts b.ts', false],
    [`/${'x'.repeat(999)}`, `/${'x'.repeat(999)}`, true],
    [`/${'x'.repeat(1000)}`, `/${'x'.repeat(1000)}`, false],
  ])('in %j: %s is spoken of: %s', (text, name, isSpokenOf) => {
    expect(speaks(text, name)).toBe(isSpokenOf);
  });

  it('stands in the arguments of calls too, but not in what a user only shows', () => {
    const calls = historyFrom(
      talk(asked('u1', 'Go.'), answered('a1', call('c1', 'read', { files: [{ path: 'src/a.ts' }] }))),
    );
    expect(indexMentions(calls).isInNewestTurn('a.ts')).toBe(true);
    const shown = historyFrom(talk(['u1', { role: 'user', content: [call('c1', 'read', { path: 'src/a.ts' })] }]));
    expect(indexMentions(shown).isInNewestTurn('a.ts')).toBe(false);
  });

  it('is looked for in the newest turn only', () => {
    const history = historyFrom(
      talk(
        asked('u1', 'See a.ts.'),
        answered('a1'),
        asked('u2', 'See b.ts.'),
        answered('a2', { type: 'text', text: 'And c.ts.' }),
      ),
    );
    expect(['a.ts', 'b.ts', 'c.ts'].map((name) => indexMentions(history).isInNewestTurn(name))).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('what the newest turn looks back at', () => {
  const use = (id: string, name: string, path: string | undefined): readonly Said[] => [
    answered(`a${id}`, call(id, name, { path })),
    result(`r${id}`, id, 'text', { toolName: name }),
  ];
  const back = (...said: readonly Said[]): readonly unknown[] => {
    const history = historyFrom(talk(asked('u1', 'Go.'), ...said));
    return [...findMentionedUses(history, indexMentions(history))].map(([{ id }, path]) => [id, path]);
  };
  const ask = asked('u2', 'What of a.ts and b.ts?');

  it('is the last use of each file that it speaks of', () => {
    expect(
      back(
        ...use('c1', 'read', 'a.ts'),
        ...use('c2', 'edit', 'a.ts'),
        ...use('c3', 'read', 'c.ts'),
        ...use('c4', 'read', 'x/b.ts'),
        ask,
      ),
    ).toEqual([
      ['c2', 'a.ts'],
      ['c4', 'x/b.ts'],
    ]);
    expect(back(...use('c1', 'read', 'a.ts'), asked('u2', 'Well?'))).toEqual([]);
    expect(back(...use('c1', 'bash', undefined), ask)).toEqual([]);
  });

  it('is not what it has read itself, but what it has only changed', () => {
    expect(back(...use('c1', 'read', 'a.ts'), ask, ...use('c2', 'read', 'a.ts'))).toEqual([]);
    expect(back(...use('c1', 'read', 'a.ts'), ask, ...use('c2', 'edit', 'a.ts'))).toEqual([['c1', 'a.ts']]);
    expect(back(...use('c1', 'read', 'a.ts'), ask, answered('a2', call('c2', 'read', { path: 'a.ts' })))).toEqual([
      ['c1', 'a.ts'],
    ]);
    expect(back(answered('a1', call('c1', 'read', { path: 'a.ts' })), ask)).toEqual([]);
  });
});
