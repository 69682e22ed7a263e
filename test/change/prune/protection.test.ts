import { describe, expect, it } from 'vitest';
import { defaultPolicy, type Policy } from '#change/prune/policy.js';
import { buildProtection } from '#change/prune/protection.js';
import { answered, asked, call, historyFrom, result, talk } from '../../support/history.js';
import { hurryPatterns } from '../../support/hurried.js';

type Protect = Policy['protect'];

/** Why a result stays, which a tool has given for a file; `name` is the tool. */
function whyStays(protect: Partial<Protect>, path?: string, name = 'read'): string | null {
  const { items, uses } = historyFrom(
    talk(asked('u1', 'Go.'), answered('a1', call('c1', name, { path })), result('r1', 'c1', 'text')),
  );
  const protects = buildProtection({ ...defaultPolicy().protect, ...protect }, new Map([['r1', 'keep this']]));
  return protects(items[2]!, uses);
}

describe('what a policy protects', () => {
  it('is nothing where it says nothing', () => {
    expect(whyStays({}, 'a.ts')).toBeNull();
    expect(whyStays({ roles: ['user'], tools: ['edit'], paths: ['b.ts'], labels: ['other'] }, 'a.ts')).toBeNull();
  });

  it('is reported: the message kind first, then label, tool and file', () => {
    const all: Partial<Protect> = { roles: ['toolResult'], labels: ['keep*'], tools: ['r*'], paths: ['a.ts'] };
    expect(whyStays(all, 'a.ts')).toBe('messages of kind toolResult are protected');
    expect(whyStays({ ...all, roles: [] }, 'a.ts')).toBe('entries with the label keep this are protected');
    expect(whyStays({ ...all, roles: [], labels: ['keep'] }, 'a.ts')).toBe('the tool read is protected');
    expect(whyStays({ ...all, roles: [], labels: [], tools: ['reads'] }, 'a.ts')).toBe('the file a.ts is protected');
  });

  it.each<[string, string, boolean]>([
    ['a.ts', 'a.ts', true],
    ['a.ts', 'src/a.ts', true],
    ['a.ts', '/home/ada/src/a.ts', true],
    ['a.ts', 'c:\\src\\a.ts', true],
    ['a.ts', 'ba.ts', false],
    ['*.ts', 'src/.a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['{a,b}.ts', 'b.ts', true],
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'x/src/a.ts', true],
    ['src/a.ts', '/x/src/a.ts', true],
    ['./src/a.ts', 'x/src/a.ts', true],
    ['src/a.ts', 'x\\src\\a.ts', true],
    ['src/a.ts', 'xsrc/a.ts', false],
    ['src/a.ts', 'src/b/a.ts', false],
    ['src/**', 'x/src/b/.hidden/a.ts', true],
    ['src/*', 'src/b/a.ts', false],
    ['/src/a.ts', '/src/a.ts', true],
    ['/src/a.ts', '/x/src/a.ts', false],
    ['**/src/a.ts', 'x/src/a.ts', true],
    ['C:/src/a.ts', 'C:\\src\\a.ts', true],
    ['C:/src/a.ts', 'x/C:/src/a.ts', false],
    ['!src/*', 'lib/a.ts', true],
    ['!src/*', 'src/a.ts', false],
    ['caf\u00e9.ts', 'cafe\u0301.ts', true],
    ['cafe\u0301.ts', 'x/caf\u00e9.ts', true],
  ])('by the pattern %s of the file %s: %s', (pattern, path, isProtected) => {
    expect(whyStays({ paths: ['nothing', pattern] }, path)).toBe(isProtected ? `the file ${path} is protected` : null);
  });

  it('knows no file of a call that names none', () => {
    expect(whyStays({ paths: ['*'] })).toBeNull();
  });

  it('knows every call of an answer', () => {
    const { items, uses } = historyFrom(
      talk(asked('u1', 'Go.'), answered('a1', call('c1', 'read', { path: 'a' }), call('c2', 'edit', { path: 'b' }))),
    );
    const of = (protect: Partial<Protect>): string | null =>
      buildProtection({ ...defaultPolicy().protect, ...protect }, new Map())(items[1]!, uses);
    expect(of({ tools: ['edit'] })).toBe('the tool edit is protected');
    expect(of({ paths: ['b'] })).toBe('the file b is protected');
    expect(of({ paths: ['b'], tools: ['read'] })).toBe('the tool read is protected');
  });
});

describe.each(['*a*a*a*a*b', '(a|aa)+b'])('what the pattern %s protects', (pattern) => {
  it('is a name that it matches', () => {
    expect(whyStays({ tools: [pattern] }, 'a.ts', 'aaaab')).toBe('the tool aaaab is protected');
  });

  describe('of a name for which it takes minutes', () => {
    hurryPatterns();

    it('is not known', () => {
      expect(() => whyStays({ tools: [pattern] }, 'a.ts', 'a'.repeat(2000))).toThrow(
        'a pattern of prune.protect exceeded the time limit',
      );
    });
  });
});
