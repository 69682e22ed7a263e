import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, findNearest } from '../../src/base/suggestion.js';

const RULES = ['torn-tail', 'orphan', 'cycle', 'max-cost', 'max-file-size', 'file', 'tree'];

describe('the nearest word', () => {
  it.each([
    ['torn-tial', 'torn-tail'],
    ['torn_tail', 'torn-tail'],
    ['orphans', 'orphan'],
    ['Cycle', 'cycle'],
    ['max-filesize', 'max-file-size'],
    ['fil', 'file'],
    ['flie', 'file'],
  ])('to %s is %s', (word, meant) => {
    expect(findNearest(word, RULES)).toBe(meant);
  });

  it.each(['', 'x', 'secrets', 'maximum', 'elif'])('to %j is none', (word) => {
    expect(findNearest(word, RULES)).toBeNull();
  });

  it.each(RULES)('to %s is the word itself', (word) => {
    expect(findNearest(word, RULES)).toBe(word);
  });

  it('is found whatever letter of a long word is missing, doubled or swapped with the next', () => {
    const slip = fc.tuple(fc.constantFrom('torn-tail', 'max-file-size'), fc.nat(8), fc.constantFrom(0, 1, 2));
    fc.assert(
      fc.property(slip, ([word, at, kind]) => {
        const [before, letter, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)];
        const swapped = before + after.slice(0, 1) + letter + after.slice(1);
        expect(findNearest([before + after, before + letter + letter + after, swapped][kind]!, RULES)).toBe(word);
      }),
    );
  });

  it('of a very long word is not looked for long', () => {
    expect(didYouMean('x'.repeat(1e6), RULES, 'nothing like it')).toBe('nothing like it');
  });
});
