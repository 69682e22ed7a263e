import { describe, expect, it } from 'vitest';
import { findSecrets } from '#analysis/secrets/find-secrets.js';
import { NAMED, SHAPES } from '#analysis/secrets/patterns/gitleaks.js';
import { rows, upstreamRules } from '../../../scripts/gitleaks/build.mjs';
import { NOT_TAKEN } from '../../../scripts/gitleaks/not-taken.mjs';
import { translated } from '../../../scripts/gitleaks/translate.mjs';
import { exampleOfRule, filled } from '../../support/secret-examples.js';
import { diceOf } from '../../support/seeded-secrets.js';

describe('the rules of gitleaks', () => {
  it('are those that the script makes of its file', async () => {
    expect({ SHAPES, NAMED }).toEqual(await rows());
  });

  it('are taken, or left out for a reason', async () => {
    const taken = [...SHAPES, ...NAMED].map(({ id }) => id);
    const left = Object.values(NOT_TAKEN).flat();
    const upstream = (await upstreamRules()).map(({ id }) => id);
    expect([...taken, ...left].toSorted()).toEqual(upstream.toSorted());
    for (const reason of Object.keys(NOT_TAKEN)) expect(reason.length).toBeGreaterThan(20);
    expect(left).toContain('generic-api-key');
  });

  it.each([
    [
      'classes where case does not matter from a place on',
      String.raw`\b(p8e-(?i)[a-f0-9]{32})(?:[\x60'"\s;]|\\[nr]|$)`,
      'p8e-[0-9A-Fa-f]{32}(?![0-9A-Fa-f])',
    ],
    [
      'groups with names, and what goes on without an end',
      String.raw`ab_(?P<rest>[a-c]{10,})`,
      'ab_[a-c]{10,400}(?![a-c])',
    ],
    ['classes of POSIX', '(pat[[:alnum:]]{14})', 'pat[0-9A-Za-z]{14}(?![0-9A-Za-z])'],
    [
      'case that matters within what does not',
      String.raw`(?i)x_[a-z]{3}\.(?-i:[a-z]{4})`,
      'x_[A-Za-z]{3}\\.[a-z]{4}(?![a-z])',
    ],
  ])('are translated: %s', (_name, source, pattern) => {
    expect(translated(source).pattern).toBe(pattern);
  });

  it('that hold more than a token are refused', () => {
    for (const source of ['a.c[0-9]{9}', '[0-9]{15}', 'abc[^x]', '(?:abc'])
      expect(() => translated(source)).toThrow(/./);
  });
});

const TIMES = 20;

describe.each(NAMED.map((row) => [row.id, row] as const))('a value named for a service: %s', (_id, row) => {
  it('is found beside the name of a key, and by itself is none', () => {
    let missed = 0;
    for (let seed = 0; seed < TIMES; seed += 1) {
      const secret = filled(exampleOfRule(row.id), diceOf(seed));
      const name = `${row.names[0]!.replaceAll(/\W/g, '_').toUpperCase()}_KEY`;
      const found = findSecrets(`export ${name}="${secret}"`);
      if (!found.some(({ value }) => value === secret)) missed += 1;
      expect(findSecrets(`it is ${secret}`).filter(({ kind }) => kind === row.kind)).toEqual([]);
    }
    expect(missed).toBeLessThanOrEqual(TIMES * 0.1);
  });
});
