import { describe, expect, it } from 'vitest';
import { checkSession } from '#analysis/check/check-session.js';
import { rules } from '#analysis/check/secrets/index.js';
import { secretPatterns } from '#analysis/secrets/find-secrets.js';
import { ignorePatches } from '#context/open.js';
import { readSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { check } from '../../support/check.js';
import { bytes, entry, HEADER, lines, user } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';
import { sampleOf } from '../../support/secret-examples.js';
import { diceOf, seeded, SURROUNDINGS } from '../../support/seeded-secrets.js';

const KEY = `ghp_${diceOf(1)('A-Za-z0-9', 36)}`;
const WANTED = { rules: ['secrets'] };

/** All findings, and how many entries were parsed for them. */
async function counted(
  content: Uint8Array,
  isStrict = false,
): Promise<{ readonly findings: readonly string[]; readonly parsed: number }> {
  const session = readSession({ ...toByteSource(content), isStrict }, 's.jsonl');
  const findings: string[] = [];
  let parsed = 0;
  checkSession({
    session: {
      ...ignorePatches(session),
      entry(head) {
        parsed += 1;
        return session.entry(head);
      },
    },
    rules: rules.map((rule) => ({ rule, severity: 'error', options: undefined })),
    requests: 'leaf',
    envelope: {},
    report: ({ entryId, rule, place }) => void findings.push(`${entryId} ${rule} ${place}`),
  });
  return { findings, parsed };
}

describe('a secret', () => {
  it('is reported with its entry, its place and a mask', async () => {
    const [finding, ...others] = await check(
      [HEADER, user('u1', null, 'Hello.'), user('u2', 'u1', `I use ${KEY}`)],
      WANTED,
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: 'credential',
      severity: 'error',
      entryId: 'u2',
      line: 3,
      place: 'message.content',
      message: 'secret in plain text: GitHub token ghp_… (40 characters)',
    });
    expect(JSON.stringify(finding)).not.toContain(KEY.slice(5, 12));
  });

  it('is reported where it is the key of an object, with the place of that object', async () => {
    const message = {
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'x',
      content: [],
      details: { env: { [KEY]: 1 } },
    };
    const found = await check([HEADER, user('u1', null, 'Hello.'), entry('message', 'u2', 'u1', { message })], WANTED);
    expect(found.map(({ place }) => place)).toEqual(['message.details.env']);
    expect(JSON.stringify(found)).not.toContain(KEY.slice(5, 12));
  });

  it('is reported once for each text, however often it stands there', async () => {
    const content = [`${KEY} ${KEY}`, KEY].map((text) => ({ type: 'text', text }));
    expect((await check([HEADER, user('u1', null, content)], WANTED)).map(({ place }) => place)).toEqual([
      'message.content[0].text',
      'message.content[1].text',
    ]);
  });

  it('is found on side branches, in old versions and in entries of any kind', async () => {
    const { findings } = await counted(
      bytes(
        lines(
          { ...HEADER, version: 1 },
          { type: 'message', message: { role: 'user', content: KEY } },
          { type: 'future', x: { y: KEY } },
        ),
      ),
    );
    expect(findings.map((finding) => finding.replace(/^\S+ /, ''))).toEqual([
      'credential message.content',
      'credential x.y',
    ]);
  });

  it.each([
    ['a letter', KEY.replace('g', '\\u0067')],
    ['the underscore', KEY.replace('_', '\\u005F')],
    ['all of it', Array.from(KEY, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')],
  ])('is found with %s escaped', async (_name, written) => {
    const content = bytes(lines(HEADER, user('u1', null, 'Hi.'), user('u2', 'u1', 'KEY')).replace('KEY', written));
    const more = lines(...Array.from({ length: 300 }, (_, at) => user(`v${at}`, 'u2', 'x'.repeat(1000))));
    expect(await counted(Buffer.concat([content, bytes(more)]))).toEqual({
      findings: ['u2 credential message.content'],
      parsed: 1,
    });
  });
});

describe('an entry', () => {
  // Of small files every entry is parsed.
  const entries = Array.from({ length: 400 }, (_, at) =>
    user(`u${at}`, at === 0 ? null : `u${at - 1}`, `question ${at} `.repeat(100)),
  );

  it('is only parsed where its line may hold a secret', async () => {
    const some = entries.map((one, at) => (at % 100 === 7 ? user(one['id'], one['parentId'], `see ${KEY}`) : one));
    const { findings, parsed } = await counted(bytes(lines(HEADER, ...some)));
    expect(findings.map((finding) => finding.split(' ')[0])).toEqual(['u7', 'u107', 'u207', 'u307']);
    expect(parsed).toBe(4);
  });

  it('is not parsed where there is none', async () => {
    expect(await counted(bytes(lines(HEADER, ...entries)))).toEqual({ findings: [], parsed: 0 });
  });

  it('is found to hold the same when every line is parsed', async () => {
    const dice = diceOf(5);
    for (let seed = 0; seed < runs(30); seed += 1) {
      const text = generateSession({ seed, entries: 60, odd: 0.2 })
        .split('\n')
        // Wherever a word stands that the generator knows, and in damaged lines as well.
        .map((line, at) => (at % 9 === 4 ? line.replace(/[a-z]{5}/, `sk-or-v1-${dice('a-f0-9', 64)}`) : line))
        .join('\n');
      const fast = await counted(bytes(`${text}\n${lines(...entries)}`));
      const strict = await counted(bytes(`${text}\n${lines(...entries)}`), true);
      expect(fast.findings).toEqual(strict.findings);
      expect(fast.parsed).toBeLessThan(strict.parsed);
    }
  });

  it('is parsed for a secret of any kind, however that is written', async () => {
    const made = Object.keys(SURROUNDINGS).flatMap((surroundings) =>
      secretPatterns.flatMap((pattern) => [1, 2, 3].map((seed) => seeded(pattern, surroundings, seed).text)),
    );
    const named = secretPatterns.map((pattern) => ({
      password: sampleOf(pattern).example(diceOf(7)).secret,
      token: diceOf(8)('!-~', 20),
    }));
    const content = bytes(
      lines(
        HEADER,
        ...entries,
        ...[...made, ...named].map((text, at) => entry('custom', `c${at}`, null, { data: { text } })),
      ),
    );
    const fast = await counted(content);
    const strict = await counted(content, true);
    expect(fast.findings).toEqual(strict.findings);
    expect(fast.findings.length).toBeGreaterThan(made.length * 0.99);
    expect(fast.parsed).toBeLessThan(strict.parsed);
  });
});
