import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '#base/glob.js';
import { runs } from '../support/runs.js';

const name = fc
  .array(fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^a]', '{a,b*}'), { minLength: 1, maxLength: 6 })
  // Two stars in a name mean something else to picomatch.
  .map((parts) => parts.join('').replaceAll(/\*+/g, '*'));
const pattern = fc
  .tuple(fc.array(fc.oneof(name, fc.constant('**')), { maxLength: 2 }), name, fc.constantFrom('', 'a/**'))
  .map(([folders, last, rest]) => [...folders, last].join('/') + rest);
const path = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((names) => names.join('/'));

describe('a glob', () => {
  it('matches what picomatch matches', () => {
    fc.assert(
      fc.property(pattern, path, (glob, text) => {
        expect([glob, text, compileGlob(glob)(text)]).toEqual([glob, text, picomatch(glob, { dot: true })(text)]);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it.each([
    ['!a*', 'ab', false],
    ['!a*', 'b', true],
    ['*.b', '.a.b', true],
    ['[!a]', 'b', true],
    ['a/**', 'a/.b/c', true],
    ['**/a', '/a', true],
    ['a{b', 'a{b', true],
    ['a[b', 'a[b', true],
    [String.raw`a\*`, 'a*', true],
    [String.raw`a\*`, 'ab', false],
    ['caf?', 'café', true],
  ])('%s matches %s: %s', (glob, text, isMatch) => {
    expect(compileGlob(glob)(text)).toBe(isMatch);
  });

  it.each(['*a'.repeat(50), '**/a'.repeat(50), `${'{a,b}'.repeat(50)}*a*a`, '[ab]*'.repeat(50)])(
    'ends for a long name at once: %s',
    (glob) => {
      expect(compileGlob(`${glob}/b`)('a'.repeat(5000))).toBe(false);
    },
  );
});
