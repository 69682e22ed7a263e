import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { countTokens as cl100kTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200kTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { findTokenizer, TOKENIZER_NAMES } from '#context/tokenizers/index.js';
import { splitLongRuns } from '#context/tokenizers/long-runs.js';
import { anyCharacter } from '../../support/any-character.js';
import { fixtures } from '../../support/files.js';
import { runs } from '../../support/runs.js';

async function counterOf(name: (typeof TOKENIZER_NAMES)[number]): Promise<(text: string) => number> {
  return (await findTokenizer(name).load()).count;
}

describe('a tokenizer', () => {
  it.each([...TOKENIZER_NAMES])('%s is listed under its own name, and counts', async (name) => {
    const tokenizer = findTokenizer(name);
    expect(tokenizer.name).toBe(name);
    const { count } = await tokenizer.load();
    expect(count('')).toBe(0);
    expect(count('a few words of English')).toBeGreaterThan(3);
  });

  it('counts as the encodings are published', async () => {
    const [o200k, cl100k] = [await counterOf('o200k'), await counterOf('cl100k')];
    expect([o200k('hello world'), cl100k('hello world')]).toEqual([2, 2]);
    expect([o200k('antidisestablishmentarianism'), cl100k('antidisestablishmentarianism')]).toEqual([6, 6]);
    expect([o200k('お誕生日おめでとう'), cl100k('お誕生日おめでとう')]).toEqual([8, 9]);
  });

  it('takes the text of a special token for a text', async () => {
    const o200k = await counterOf('o200k');
    expect(o200k('<|endoftext|>')).toBeGreaterThan(1);
  });
});

describe('words that are counted once', () => {
  const SCRAPS = [
    "'s",
    "'LL",
    'don',
    'HTTP',
    'Server',
    ' ',
    '  ',
    '\t',
    '\n',
    '\r\n',
    '/',
    '//',
    '://',
    '12',
    '3456',
    '_',
    '-',
    '—',
  ];
  const OTHERS = ['é', 'e\u0301', 'ǅ', '日本', 'お', '🙂', '\ud800', '\u00a0', '\u2028', '\u0130', '<|endoftext|>'];
  const texts = fc
    .array(fc.oneof(fc.constantFrom(...SCRAPS, ...OTHERS), fc.string({ unit: anyCharacter, maxLength: 4 })), {
      maxLength: 30,
    })
    .map((scraps) => scraps.join(''));

  it.each([
    ['o200k', o200kTokens],
    ['cl100k', cl100kTokens],
  ] as const)('%s has the count of its library for any text', async (name, countTokens) => {
    const count = await counterOf(name);
    fc.assert(
      fc.property(texts, (text) => {
        expect(count(text)).toBe(countTokens(text, { disallowedSpecial: new Set() }));
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('runs without a break', () => {
  it('are counted in time that grows with their length only', async () => {
    const o200k = await counterOf('o200k');
    for (const run of ['日', 'a', '\n', '-', '𝒳', '-\u0300', 'e\u0301', '\n/', ' \t', 'aB', '12', "'s"]) {
      expect(o200k(`-${run.repeat(100_000)}`), JSON.stringify(run)).toBeGreaterThan(100);
    }
  });

  it('are cut only where they are long: ordinary text is counted as it is', () => {
    const asked: string[] = [];
    const count = splitLongRuns((text) => {
      asked.push(text);
      return text.length;
    });
    const prose = 'the quick brown fox, '.repeat(500);
    count(prose);
    expect(asked).toEqual([prose]);
  });

  it('keep every character, and no pair of surrogates is parted', () => {
    const pieces: string[] = [];
    const text = `a${'𝒳'.repeat(3001)} b ${'é'.repeat(600)}${'-'.repeat(1500)}`;
    splitLongRuns((piece) => pieces.push(piece))(text);
    expect(pieces.join('')).toBe(text);
    expect(pieces.length).toBeGreaterThan(10);
    for (const piece of pieces) expect(/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(piece)).toBe(false);
  });

  it.each(['a', '日', ' ', '\n', '-', '/', '_', 'é'])(
    'are cut from 513 characters of %j on, wherever they begin',
    (kind) => {
      const piecesOf = (text: string): number => {
        let pieces = 0;
        splitLongRuns(() => (pieces += 1))(text);
        return pieces;
      };
      for (let before = 0; before < 600; before += 7) {
        const text = (length: number): string => `${'x1. '.repeat(150).slice(0, before)}1${kind.repeat(length)}1`;
        expect([piecesOf(text(512)), piecesOf(text(520))], String(before)).toEqual([1, 2]);
      }
    },
  );

  it('do not change the count of real sessions', async () => {
    const o200k = await counterOf('o200k');
    for (const file of fixtures.filter((name) => name.endsWith('weather.jsonl'))) {
      const text = readFileSync(file, 'utf8');
      const [ours, theirs] = [o200k(text), o200kTokens(text, { disallowedSpecial: new Set() })];
      expect(Math.abs(ours - theirs) / theirs).toBeLessThan(0.001);
    }
  });
});
