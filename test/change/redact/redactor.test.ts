import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { buildRedactedSource } from '#change/redact/redacted-files.js';
import type { RedactedStretch } from '#change/redact/redaction.js';
import { Redactor } from '#change/redact/redactor.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { expectLinearTime } from '../../support/growth.js';
import { diceOf } from '../../support/seeded-secrets.js';

const dice = diceOf(1);
const TOKEN = `ghp_${dice('A-Za-z0-9', 36)}`;
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/home/ada"}';

interface Done {
  readonly bytes: Buffer;
  readonly text: string;
  readonly replacements: readonly RedactedStretch[];
}

async function redact(
  file: string | Uint8Array,
  { values = [], patterns = [] }: { readonly values?: readonly string[]; readonly patterns?: readonly RegExp[] } = {},
): Promise<Done> {
  const redactor = new Redactor({ values: values.map((value) => ({ value, kind: 'value' })), patterns });
  const replacements: RedactedStretch[] = [];
  const source = toByteSource(Buffer.from(file));
  const pieces = await redactor.redact(source, 's.jsonl', { onReplaced: (one) => void replacements.push(one) });
  const result = buildRedactedSource(source, pieces);
  const bytes = Buffer.from(result.read(0, result.size));
  return { bytes, text: bytes.toString(), replacements };
}

function message(text: string, more = ''): string {
  return `{"type":"message","id":"a1","parentId":null,"message":{"role":"user","content":${JSON.stringify(text)}}${more}}`;
}

/** What became of the text of a message. */
async function textOf(text: string, values: readonly string[]): Promise<string> {
  const { text: line } = await redact(message(text), { values });
  return (JSON.parse(line) as { message: { content: string } }).message.content;
}

describe('an exact value', () => {
  const value = 'ab"c\\d\né/🙂 x=7';
  const levels = (text: string, count: number): string =>
    count === 0 ? text : levels(JSON.stringify(text).slice(1, -1), count - 1);

  it.each([
    ['itself', value],
    ['JSON', levels(value, 1)],
    ['JSON in JSON', levels(value, 2)],
    ['JSON five levels deep', levels(value, 5)],
    [
      'JSON of a writer that escapes all but ASCII',
      levels(value, 1).replace('é', '\\u00e9').replace('🙂', '\\ud83d\\uDE42'),
    ],
    ['JSON of a writer that escapes slashes', levels(value, 1).replace('/', '\\/')],
    ['JSON of a writer that escapes letters', levels(value, 1).replace('x', '\\u0078')],
    ['an address', encodeURIComponent(value)],
    ['an address with small letters', encodeURIComponent(value).toLowerCase()],
    ['a form', encodeURIComponent(value).replaceAll('%20', '+')],
    ['an address in an address', encodeURIComponent(encodeURIComponent(value))],
    ['HTML', value.replace('"', '&quot;')],
  ])('is found as %s', async (_name, written) => {
    expect(await textOf(`<${written}>`, [value])).toBe('<[REDACTED:value:1]>');
  });

  it.each([0, 1, 2, 3, 4])('is found in base64 behind %i other bytes', async (before) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      for (const behind of ['', 'x', 'yz']) {
        const all = Buffer.from(`${'p'.repeat(before)}${value}${behind}`).toString(encoding);
        const left = await textOf(`<${all}>`, [value]);
        expect(left).toContain('[REDACTED:value:1]');
        // No more than what other bytes decide, and the padding.
        expect(left.replace('[REDACTED:value:1]', '').length).toBeLessThanOrEqual(
          2 + Math.ceil((before + behind.length) / 3) * 4,
        );
      }
    }
  });

  it('leaves JSON in a text JSON', async () => {
    for (const secret of ['nabcdef', '"abcdef', 'abcdef\\', '\\abcdef', 'abc"def\\"'])
      for (const text of [secret, `\n${secret}`, `${secret}\n`, `"${secret}"`]) {
        const left = await textOf(JSON.stringify({ text }), [secret]);
        expect(left).toContain('[REDACTED:value:1]');
        expect(() => JSON.parse(left) as unknown).not.toThrow();
      }
  });

  it('is found where letters are escaped, also behind a backslash', async () => {
    const secret = String.raw`Q7\wind<zebra9`;
    for (const written of [
      String.raw`Q7\\wind\u003czebra9`,
      String.raw`\u00517\\\u0077ind\u003Czebra\u0039`,
      String.raw`Q7\\\\wind\\u003czebra9`,
      String.raw`Q7\u005cwind\u003czebra9`,
    ])
      expect(await textOf(`{"a":"${written}"}`, [secret])).toBe('{"a":"[REDACTED:value:1]"}');
  });

  it('has one placeholder, and another value another one', async () => {
    expect(await textOf('first1, second2, first1', ['second2', 'first1'])).toBe(
      '[REDACTED:value:1], [REDACTED:value:2], [REDACTED:value:1]',
    );
  });

  it('is replaced with all that overlaps it', async () => {
    expect(await textOf('one abc-def-ghi two', ['abc-def', 'def-ghi'])).toBe('one [REDACTED:value:1] two');
    expect(await textOf(`one ${TOKEN} two`, [TOKEN.slice(8, 20)])).toBe('one [REDACTED:github-token:1] two');
  });

  it('takes no longer where escapes pile up', async () => {
    const hostile = '\\'.repeat(60_000) + '%25'.repeat(20_000);
    expect(await textOf(hostile, ['\\"\\"\\"\\n%"""', '""""""""'])).toBe(hostile);
  });
});

describe('a line', () => {
  it('stays as it is written but for the secrets', async () => {
    const odd = `{ "type" : "custom",\t"id":"a\\u0031","n":1.50e+3,"big":12345678901234567890,"x":"\\u00e9\\/${TOKEN}\\u0041","x":"${TOKEN}", "data":{"${TOKEN}":[ ]}}\r`;
    const { text } = await redact(`${HEADER}\n${odd}\n\n`);
    expect(text).toBe(`${HEADER}\n${odd.replaceAll(TOKEN, '[REDACTED:github-token:1]')}\n\n`);
  });

  it('with a secret that is written in escapes', async () => {
    const escaped = Array.from(TOKEN, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
    const { text } = await redact(`${HEADER}\n{"id":"a","data":{"x":"${escaped}"}}\n`);
    expect(text).toBe(`${HEADER}\n{"id":"a","data":{"x":"[REDACTED:github-token:1]"}}\n`);
  });

  it('keeps what the session hangs on, and says so of values that were given', async () => {
    const line =
      '{"type":"message","id":"value-1234","parentId":"value-1234","message":{"role":"user","content":"value-1234"}}';
    const { text, replacements } = await redact(line, { values: ['value-1234', 'message'] });
    expect(text).toBe(line.replace('content":"value-1234', 'content":"[REDACTED:value:1]'));
    expect(replacements.map(({ place, placeholder }) => [place, placeholder])).toEqual([
      ['type', null],
      ['id', null],
      ['parentId', null],
      ['message.content', '[REDACTED:value:1]'],
    ]);
  });

  it('says so of a value in an id that a rule finds elsewhere only', async () => {
    const line = `{"type":"message","id":"id-${TOKEN}","parentId":null,"message":{"role":"user","content":"${TOKEN}"}}`;
    const { text, replacements } = await redact(line);
    expect(text).toBe(line.replace(`content":"${TOKEN}`, 'content":"[REDACTED:github-token:1]'));
    expect(replacements.map(({ entryId, place, placeholder }) => [entryId, place, placeholder])).toEqual([
      ['id-[REDACTED:github-token:1]', 'id', null],
      ['id-[REDACTED:github-token:1]', 'message.content', '[REDACTED:github-token:1]'],
    ]);
  });

  it('says so of a token that is only in an id, within a word', async () => {
    const line = `{"type":"message","id":"id-${TOKEN}","parentId":null,"message":{"role":"user","content":""}}`;
    // Long files are searched for anchors first.
    for (const lines of [line, `${line}\n${JSON.stringify({ type: 'custom', text: 'x'.repeat(300_000) })}`]) {
      const { text, replacements } = await redact(lines);
      expect(text).toBe(lines);
      expect(replacements.map(({ entryId, place, placeholder }) => [entryId, place, placeholder])).toEqual([
        ['id-[REDACTED:github-token:1]', 'id', null],
      ]);
    }
  });

  it('keeps signatures and images, but not what is called so in arguments', async () => {
    const block = (type: string, key: string): string => `{"type":"${type}","${key}":"${TOKEN}"}`;
    const opaque = `[${block('thinking', 'thinkingSignature')},${block('text', 'textSignature')},${block('toolCall', 'thoughtSignature')},${block('image', 'data')}]`;
    const free = `{"type":"toolCall","id":"c","arguments":{"textSignature":"${TOKEN}","id":"${TOKEN}","type":"${TOKEN}"}}`;
    const line = `{"type":"message","id":"a1","message":{"role":"assistant","content":[${opaque},${free}]}}`;
    const { text } = await redact(line);
    expect(text).toBe(line.replace(free, free.replaceAll(TOKEN, '[REDACTED:github-token:1]')));
  });

  it('turns a number that is a value into a placeholder where anything may stand', async () => {
    const line =
      '{"type":"custom","timestamp":12345678,"data":{"pin":12345678,"others":[-123456789,1234567]},"n":12345678}';
    const { text } = await redact(line, { values: ['12345678'] });
    expect(text).toBe(
      '{"type":"custom","timestamp":12345678,"data":{"pin":"[REDACTED:value:1]","others":["[REDACTED:value:2]",1234567]},"n":12345678}',
    );
  });

  it('shows no secret where it says what was replaced', async () => {
    const { replacements } = await redact(`{"id":"a","data":{"${TOKEN}":{"x":"${TOKEN}"}}}`);
    expect(replacements.length).toBe(2);
    expect(JSON.stringify(replacements)).not.toContain(TOKEN);
    expect(replacements[1]).toMatchObject({ line: 1, entryId: 'a', masked: 'ghp_… (40 characters)' });
  });

  it('is searched however deeply it is nested', async () => {
    const deep = 200_000;
    const line = `{"id":"a","data":${'['.repeat(deep)}"${TOKEN}"${',"x"]'.repeat(deep)}}`;
    const { text, replacements } = await redact(line);
    expect(text).toBe(line.replace(TOKEN, '[REDACTED:github-token:1]'));
    expect(replacements[0]?.place?.length).toBeLessThan(200);
  });

  it('that is damaged is replaced whole, and nothing else becomes of it', async () => {
    const torn = `{"type":"message","id":"a2","message":{"content":"${TOKEN.slice(0, 20)}`;
    const { text, replacements } = await redact(
      `${HEADER}\n${message('x')}{"id":"y"}\r\n\0\0\n${message('z')}\n${torn}`,
    );
    expect(text).toBe(
      `${HEADER}\n[REDACTED:damaged-line:1]\r\n[REDACTED:damaged-line:2]\n${message('z')}\n[REDACTED:damaged-line:3]`,
    );
    expect(replacements.map(({ line, place }) => [line, place])).toEqual([
      [2, null],
      [3, null],
      [5, null],
    ]);
    expect((await redact(text)).text).toBe(text);
  });

  it('that is not UTF-8 is written as readers read it, if it holds a secret', async () => {
    const [before = '', after = ''] = message('é # $').split('#');
    const broken = Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc3]), Buffer.from(after)]);
    expect((await redact(broken)).bytes).toEqual(broken);
    const secret = Buffer.from(broken.toString('latin1').replace('$', TOKEN), 'latin1');
    expect((await redact(secret)).text).toBe(message('é \ufffd\ufffd [REDACTED:github-token:1]'));
  });
});

describe('what was found once', () => {
  it('is replaced where no rule finds it', async () => {
    const password = `xk93${dice('A-Za-z0-9', 12)}`;
    const { text } = await redact(`${message(`we have ${password}`)}\n{"id":"b","data":{"password":"${password}"}}\n`);
    expect(text).not.toContain(password);
    expect(text.match(/\[REDACTED:value-of-a-secret:1\]/g)).toHaveLength(2);
  });

  it('stays elsewhere if it may be a word', async () => {
    const { text } = await redact(
      `${message('the w3ather9')}\n${message('postgres://ada:w3ather9@db.weather.dev/x')}\n`,
    );
    expect(text).toContain('the w3ather9');
    expect(text).toContain('postgres://ada:[REDACTED:password-in-a-url:1]@db.weather.dev/x');
  });
});

describe('a placeholder of an earlier redaction', () => {
  const old = 'a [REDACTED:github-token:1], b [REDACTED:value:12]x';

  it.each(['REDACTED', 'github-token', 'token:1], b', ':12]x', 'value:12', '[REDACTED:value:12]'])(
    'is not masked again by the value %s',
    async (value) => {
      const once = await textOf(old, [value]);
      expect(once).toContain('[REDACTED:github-token:1]');
      expect(once).toContain('[REDACTED:value:12]');
      expect(await textOf(once, [value])).toBe(once);
    },
  );

  it('stays where a value goes beyond it, and the rest of that value does not', async () => {
    expect(await textOf(old, ['value:12]x'])).toBe(
      'a [REDACTED:github-token:1], b [REDACTED:value:12][REDACTED:value:13]',
    );
  });

  it.each([/\[.*\]/dg, /.+/dg, /b (?<secret>\S+)/dg, /\d/dg])(
    'is not masked again by the pattern %s',
    async (pattern) => {
      const { text: once } = await redact(message(old), { patterns: [pattern] });
      expect(once).toContain('[REDACTED:github-token:1]');
      expect(once).toContain('[REDACTED:value:12]');
      expect((await redact(once, { patterns: [pattern] })).text).toBe(once);
    },
  );
});

describe('the name of a file', () => {
  it('has no placeholder that another name has from an earlier redaction', async () => {
    const redactor = new Redactor({ values: [{ value: 'hunter-two', kind: 'value' }], patterns: [] });
    redactor.reserve('[REDACTED:value:1].jsonl');
    const shown = redactor.redactName('hunter-two.jsonl');
    expect(shown).toBe('[REDACTED:value:2].jsonl');
    expect(redactor.restoreName(shown)).toBe('hunter-two.jsonl');
    expect(redactor.restoreName('[REDACTED:value:1].jsonl')).toBe('[REDACTED:value:1].jsonl');
  });
});

describe('a pattern', () => {
  it('replaces its group `secret`, or all that it matches', async () => {
    const patterns = [/key (?<secret>\w+)/dg, /ACME-\d+/dg, /nothing*?(?!)/dg, /x*/dg];
    const { text } = await redact(message('key abcd, ACME-12'), { patterns });
    expect(text).toBe(message('key [REDACTED:pattern:1], [REDACTED:pattern:2]'));
  });
});

describe('something like a placeholder', () => {
  it('hides no secret', async () => {
    const key = `sk-or-v1-${dice('a-f0-9', 64)}`;
    const { text } = await redact(message(`an old log: [REDACTED:${key}:1]`));
    expect(text).not.toContain(key);
    expect((await redact(text)).text).toBe(text);
  });

  it('hides no value that was found elsewhere', async () => {
    const password = `w${dice('a-z0-9', 6)}4xk${dice('0-9', 4)}`;
    const { text } = await redact(`${message(`DB_PASSWORD="${password}"`)}\n${message(`[REDACTED:${password}:7]`)}`);
    expect(text).not.toContain(password);
  });

  it('hides no damaged line', async () => {
    const { text } = await redact(`${HEADER}\n[REDACTED:glpat-${dice('a-z0-9', 20)}:1]\n[REDACTED:damaged-line:4]\n`);
    expect(text.split('\n').slice(1, 3)).toEqual(['[REDACTED:damaged-line:1]', '[REDACTED:damaged-line:4]']);
  });
});

describe('the time of a redaction', () => {
  it('grows with the number of lines and values, even where letters are escaped', async () => {
    await expectLinearTime((results) => {
      const lines = Array.from({ length: results }, (_, at) =>
        message(
          `{"accessToken":"${dice('A-Za-z0-9', 38)}q7","url":"https://maps.net/?a=${at}\\u0026b=\\u003cwind\\u003e"}`,
        ),
      );
      return async () => {
        const { replacements } = await redact(lines.join('\n'));
        expect(replacements.length).toBeGreaterThan(results * 0.9);
      };
    }, 75);
  });
});

describe('a big file', () => {
  const filler = Array.from({ length: 800 }, (_, at) =>
    message(`nothing to see here, ${at} times ${'over and '.repeat(30)}`),
  );

  it('is searched without parsing all of it, with the same result', async () => {
    const values = [
      'plain-value',
      'ab',
      'wörd "x" \\ y',
      '////////',
      ...Array.from({ length: 180 }, (_, at) => `sk-many-${at}-${dice('a-z', 8)}`),
    ].filter((value) => value.length > 3);
    const planted = [TOKEN, ...values].map((value, at) =>
      message(at % 2 === 0 ? `it is ${value}!` : JSON.stringify({ value })),
    );
    const lines = filler.flatMap((line, at) => (planted[at] === undefined ? [line] : [line, planted[at]]));
    const text = `${HEADER}\n${lines.join('\n')}\n{"torn":`;
    expect(text.length).toBeGreaterThan(1 << 18);
    const { text: left, replacements } = await redact(text, { values });
    expect(replacements.length).toBe(planted.length + 1);
    for (const value of values) expect(left).not.toContain(value);
    const doubted = await redactDoubted(text, values);
    expect(doubted).toBe(left);
  });

  async function redactDoubted(text: string, values: readonly string[]): Promise<string> {
    const redactor = new Redactor({ values: values.map((value) => ({ value, kind: 'value' })), patterns: [] });
    const source = { ...toByteSource(Buffer.from(text)), isStrict: true };
    const result = buildRedactedSource(source, await redactor.redact(source, 's.jsonl'));
    expect(result.isStrict).toBe(true);
    return Buffer.from(result.read(0, result.size)).toString();
  }
});
