import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { diffTextLines, diffWords, type TextPiece } from '#analysis/diff/text-diff.js';

afterEach(() => void vi.restoreAllMocks());

const sideOf = (pieces: readonly TextPiece[], other: TextPiece['kind']) =>
  pieces.flatMap(({ kind, text }) => (kind === other ? [] : text)).join('');

describe.each([diffWords, diffTextLines])('%o', (diff) => {
  it('holds both texts whole', () => {
    const text = fc.array(fc.constantFrom('one', 'two', ' ', '\n', '.', '🙂', '\ud800'), {
      size: 'max',
      maxLength: 20,
    });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const pieces = diff(before.join(''), after.join(''));
        expect(sideOf(pieces, 'added')).toBe(before.join(''));
        expect(sideOf(pieces, 'removed')).toBe(after.join(''));
      }),
    );
  });
});

it('names the words that changed', () => {
  expect(diffWords('never push to main', 'never push to master')).toEqual([
    { kind: 'same', text: 'never push to ' },
    { kind: 'removed', text: 'main' },
    { kind: 'added', text: 'master' },
  ]);
});

it('gives up where two long texts have nothing in common', () => {
  const words = (letter: string) =>
    Array.from({ length: 30_000 }, (_, at) => letter + ((at * 7919) % 10_007)).join(' ');
  expect(diffWords(words('a'), words('b')).map(({ kind }) => kind)).toEqual(['removed', 'added']);
});

it('compares up to 1,000 changes, however slow the machine is', () => {
  let now = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 1000));
  const words = Array.from({ length: 3000 }, (_, at) => `word${at}`);
  const kindsWith = (changed: number): ReadonlySet<string> => {
    const after = words.map((word, at) => (at % 2 === 0 && at < changed * 2 ? `new${at}` : word));
    return new Set(diffWords(words.join(' '), after.join(' ')).map(({ kind }) => kind));
  };
  expect([kindsWith(500).has('same'), kindsWith(501).has('same')]).toEqual([true, false]);
});

const told = (pieces: readonly TextPiece[]): string =>
  pieces.map(({ kind, text }) => ({ same: text, added: `{+${text}+}`, removed: `[-${text}-]` })[kind]).join('');

it.each([
  ['', '', ''],
  ['same', 'same', 'same'],
  ['', 'new', '{+new+}'],
  ['old', '', '[-old-]'],
  ['one two', 'one three', 'one [-two-]{+three+}'],
  [' one ', ' two ', ' [-one-]{+two+} '],
  ['one two', 'three two', '[-one-]{+three+} two'],
  ['one two three', 'four five three', '[-one two-]{+four five+} three'],
  ['a one b two c', 'a 1 b 2 c', 'a [-one-]{+1+} b [-two-]{+2+} c'],
  ['one two three', 'one three', 'one [-two -]three'],
  ['one three', 'one two three', 'one {+two +}three'],
  ['one two', 'three four', '[-one two-]{+three four+}'],
  ['a\nb', 'c\nd', '[-a\nb-]{+c\nd+}'],
])('%j became %j: %j', (before, after, words) => {
  expect(told(diffWords(before, after))).toBe(words);
});

it('compares line by line', () => {
  expect(told(diffTextLines('a\nb\nc\n', 'a\nx\nc\n'))).toBe('a\n[-b\n-]{+x\n+}c\n');
  expect(told(diffTextLines('a\nb\n', 'a\n'))).toBe('a\n[-b\n-]');
  expect(told(diffTextLines('', ''))).toBe('');
});
