import { describe, expect, it } from 'vitest';
import { mentionsIn } from '../../src/loss/mention.js';

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
    expect(mentionsIn(SUMMARY)({ text, terms })).toBe(mention);
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
    expect(mentionsIn(summary)({ text: null, terms: ['a.ts'] })).toBe(mention);
  });
});
