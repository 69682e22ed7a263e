import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SECRET_CLASSES, type SecretClass } from '#analysis/secrets/define.js';
import { findSecrets, secretPatterns } from '#analysis/secrets/find-secrets.js';
import { maskSecret } from '#analysis/secrets/secrets-in-entry.js';
import { fixtures, triedRecordings } from '../../support/files.js';
import { isWhole, runs, tried } from '../../support/runs.js';
import { sampleOf } from '../../support/secret-examples.js';
import { diceOf, seeded, SURROUNDINGS } from '../../support/seeded-secrets.js';

const TIMES = isWhole ? 30 : 6;
/** A kind is too small a sample for a share; another test is about all of them. */
const MOST_MISSED = isWhole ? 2 : 1;

/** Of random values one or the other looks as if somebody had made it up. */
const LEAST_SHARE: Readonly<Record<SecretClass, number>> = {
  'private-key': 1,
  credential: 0.999,
  'url-password': 0.98,
  authorization: 0.98,
  'assigned-secret': 0.95,
};

const kinds = secretPatterns.map((pattern, at) => [`${pattern.kind} (${at})`, pattern] as const);

function found(text: string): readonly string[] {
  return findSecrets(text).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);
}

describe.each(kinds)('%s', (_name, pattern) => {
  it.each(Object.keys(SURROUNDINGS))('is found %s', (surroundings) => {
    let missed = 0;
    for (let seed = 0; seed < TIMES; seed += 1) {
      const { text, secret } = seeded(pattern, surroundings, seed);
      const secrets = findSecrets(text);
      const isFound = secrets.some(
        ({ secretClass, start, end }) => secretClass === pattern.secretClass && text.slice(start, end) === secret,
      );
      // Nothing else is said of it, nor of what stands around it.
      if (!isFound || secrets.length !== 1) missed += 1;
    }
    expect(missed).toBeLessThanOrEqual(MOST_MISSED);
  });

  it('is not found where there is none', () => {
    for (const text of sampleOf(pattern).counterexamples) expect(found(text)).toEqual([]);
  });
});

function pem(label: string, body: string): string {
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;
}

describe('secrets', () => {
  it.each(SECRET_CLASSES)('of %s are found nearly all', (secretClass) => {
    let all = 0;
    let hits = 0;
    for (const pattern of secretPatterns.filter((one) => one.secretClass === secretClass)) {
      for (let seed = 0; seed < runs(200); seed += 1) {
        const { text, secret } = sampleOf(pattern).example(diceOf(seed));
        const [first] = findSecrets(text);
        all += 1;
        if (first && text.slice(first.start, first.end) === secret) hits += 1;
      }
    }
    expect(hits / all).toBeGreaterThanOrEqual(LEAST_SHARE[secretClass]);
  });

  it('are told apart, and in order', () => {
    const dice = diceOf(1);
    const keys = [`ghp_${dice('A-Za-z0-9', 36)}`, `AIza${dice('A-Za-z0-9_-', 35)}`, `sk-or-v1-${dice('a-f0-9', 64)}`];
    expect(found(`é ${keys.join(', ')}.`)).toEqual([
      `GitHub token: ${keys[0]}`,
      `Google API key: ${keys[1]}`,
      `OpenRouter API key: ${keys[2]}`,
    ]);
  });

  it('are named by what they are, not by where they stand', () => {
    const key = `sk-ant-oat01-${diceOf(2)('A-Za-z0-9_-', 95)}`;
    for (const text of [`ANTHROPIC_API_KEY=${key}`, `"api_key": "${key}"`, `Authorization: Bearer ${key}`])
      expect(found(text)).toEqual([`Anthropic OAuth token: ${key}`]);
  });

  it('are found whatever a comment says', () => {
    const key = `ghp_${diceOf(3)('A-Za-z0-9', 36)}`;
    expect(found(`${key} // gitleaks:allow`)).toEqual([`GitHub token: ${key}`]);
  });

  it.each([
    ['of PGP', (body: string) => pem('PGP PRIVATE KEY BLOCK', `Version: GnuPG v2\n\n${body}\n=aB3d`)],
    ['that is encrypted', (body: string) => pem('ENCRYPTED PRIVATE KEY', body)],
    [
      'in the old form',
      (body: string) => pem('RSA PRIVATE KEY', `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AB\n\n${body}`),
    ],
    ['with line breaks of Windows', (body: string) => pem('EC PRIVATE KEY', body).replaceAll('\n', '\r\n')],
    ['that is indented', (body: string) => pem('PRIVATE KEY', body).replaceAll('\n', '\n      ')],
    ['in the key file of a service account', (body: string) => pem('PRIVATE KEY', body).replaceAll('\n', '\\n')],
    ['in a key file in a string', (body: string) => pem('PRIVATE KEY', body).replaceAll('\n', '\\\\n')],
  ])('are found in a private key %s', (_name, make) => {
    const dice = diceOf(6);
    const key = make(Array.from({ length: 5 }, () => dice('A-Za-z0-9+/', 64)).join('\n'));
    const [secret, ...others] = findSecrets(`"${key}"`);
    expect(others).toEqual([]);
    expect(secret).toMatchObject({ secretClass: 'private-key', start: 1, end: 1 + key.length });
  });

  it.each([
    ['an address', (a: string, b: string) => `https://api.trello.com/1/boards?key=${a}&token=${b}`],
    ['a command', (a: string, b: string) => `keytool -genkey -storepass ${a} -keypass ${b} -alias maps`],
  ])('are found where %s has two', (_name, make) => {
    const dice = diceOf(12);
    const two = [`w7${dice('a-f0-9', 30)}`, `k3${dice('a-f0-9', 30)}`] as const;
    expect(findSecrets(make(...two)).map(({ value }) => value)).toEqual(two);
  });

  it('are found in a key that an output was cut in', () => {
    const [pattern] = secretPatterns;
    const { secret } = sampleOf(pattern!).example(diceOf(4));
    const cut = secret.slice(0, 250);
    expect(found(`${cut}\n[output truncated]`)).toEqual([expect.stringMatching(/^private key: -{5}BEGIN/)]);
  });

  it('are found after a hyphen within a word if their prefix and length belong to no other word', () => {
    const dice = diceOf(8);
    for (const [prefix, characters, length] of [
      ['ghp_', 'A-Za-z0-9', 36],
      ['sk-proj-', 'A-Za-z0-9_-', 60],
      ['sntrys_eyJ', 'A-Za-z0-9', 80],
    ] as const) {
      const token = prefix + dice(characters, length);
      expect(findSecrets(`id-${token}`).map(({ start }) => start)).toEqual([3]);
      expect(found(`id_${token}`)).toEqual([]);
    }
    for (const prefix of ['sdk-', 'fc-', 'key-', 'sk-']) expect(found(`id-${prefix}${dice('a-f0-9', 40)}`)).toEqual([]);
  });

  it.each([
    'a task-based approach to risk-adjusted desk-sharing',
    'const password = await prompt("Password: "); if (password === expected1) return;',
    'the token count is totalTokens: 123456, maxTokens: 8192',
    'git clone https://github.com/ada/weather.git && curl https://user@example.com:8080/a@b',
    'sha512-Zb1v8G2s9ZV0Xl3iHb5M3aVw5oVjYc2mHOMgmZqWb3l0xjTQ6fJk5vQ9ht1DY7p1kq0nBz1uH6cR==',
    '7f3c1e0b-9d5c-4b2a-8a11-6a3c1f0d9e77 4331c197 e1693b48',
    'export OPENAI_API_KEY=$(pass show openai/key1)',
    'api_key: ${{ secrets.API_KEY_2 }}',
    'mongodb://root:example@mongo:27017',
    'password: Step2',
  ])('are not found in %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('are not found in the fixtures, nor in recorded sessions', () => {
    for (const file of [...fixtures, ...triedRecordings]) expect(found(readFileSync(file, 'utf8'))).toEqual([]);
  });
});

describe('what is printed of a secret', () => {
  it.each([
    ['ghp_0123456789abcdef0123456789abcdef0123', 'ghp_… (40 characters)'],
    ['hunter22', 'hu… (8 characters)'],
    ['a b', '… (3 characters)'],
    ['🔑🔑🔑🔑🔑', '… (10 characters)'],
    ['--\n-----', '--… (8 characters)'],
  ])('of %j is %s', (secret, expected) => {
    expect(maskSecret(secret)).toBe(expected);
  });

  it('is never more than a quarter of it', () => {
    for (let length = 0; length < 40; length += 1)
      expect(maskSecret('x'.repeat(length)).match(/^x*/)?.[0].length).toBeLessThanOrEqual(length / 4);
  });
});

/** They would not come to an end if they were searched again and again. */
describe('a hostile text of half a megabyte is searched through:', () => {
  const beginnings = secretPatterns.flatMap(({ kind, anchors }) =>
    anchors.map((anchor) => [kind, literalOf(anchor)] as const),
  );
  const different = [...new Map(beginnings.map((pair) => [pair[1], pair])).values()];

  function literalOf(anchor: string): string {
    return anchor.replace(/^\\b/, '').split('[')[0]!;
  }

  const SIZE = 500_000;

  it('every beginning over and over, with much behind each', () => {
    const tails = ['a1B'.repeat(70), 'A'.repeat(500), '="'.repeat(20), `: ${'\\'.repeat(30)}`, '.', '-'];
    for (const tail of tried(tails, 3)) {
      const text = different.map(([, beginning]) => `${beginning}${tail}`).join('');
      expect(findSecrets(text.repeat(Math.ceil(SIZE / text.length)))).toBeInstanceOf(Array);
    }
  });

  it.each([
    ['://a', '://a:b'],
    ['xoxb-', 'xoxb-a-'],
    ['-----BEGIN PRIVATE KEY-----', 'MIIE\\n'],
    ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ', 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.'],
    ['password', 'password="'],
    ['api_key_key_key', 'secret='],
    ['sk-ant-api03-', 'sk-ant-oat01-'],
    ['SG.a.', 'SG.aaaaaaaaaaaaaaaaaaaaaa.'],
    ['Bearer ', 'Bearer aaaaaaaaaaaaaaaaaaaa'],
    ['discord MTAw', 'MTAwMTAwMTAwMTAwMTAwMTAw.'],
    ['hooks.slack.com/services/Ta/', 'https://hooks.slack.com/services/Ta/Ba/'],
    ['mongodb://', 'ghp_'],
  ])('%j and %j', (one, other) => {
    for (const text of [one, other, `${one}${other}`]) {
      expect(findSecrets(text.repeat(Math.ceil(SIZE / text.length)))).toBeInstanceOf(Array);
    }
    expect(findSecrets(one + 'a'.repeat(SIZE / 2) + other + '1'.repeat(SIZE / 2))).toBeInstanceOf(Array);
  });
});

describe('an access token of Azure DevOps', () => {
  // 84 characters: 52 random ones, the mark of all keys of Azure, a date, the mark AZDO of the service, a checksum.
  const token = `${diceOf(7)('A-Za-z0-9', 52)}JQQJ99BAAC${diceOf(8)('A-Za-z0-9', 14)}AZDO${diceOf(9)('A-Za-z0-9', 4)}`;

  it('is a key of Azure, with no key word next to it', () => {
    expect(token).toHaveLength(84);
    expect(found(`git clone says ${token} is fine`)).toEqual([`Azure key: ${token}`]);
  });
});
