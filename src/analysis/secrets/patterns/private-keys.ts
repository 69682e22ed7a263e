import type { FoundSecret, SecretPattern } from '../define.js';
import { BASE64 } from '../looks-random.js';

/** Keys in PEM and in PGP armour, also with escaped line breaks, and truncated at the end of an output. */
const patterns: readonly SecretPattern[] = [
  {
    means: 'private-key',
    kind: 'private key',
    anchors: ['PRIVATE KEY-----', 'PRIVATE KEY BLOCK-----'],
    find,
    example(dice) {
      const lines = Array.from({ length: 6 }, (_, at) => (at === 0 ? 'MIIE' : '') + dice(BASE64, at === 0 ? 60 : 64));
      const secret = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----'].join('\n');
      return { text: `the key:\n${secret}\n`, secret };
    },
    counterexamples: [
      '-----BEGIN PUBLIC KEY-----',
      '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
      `-----BEGIN PRIVATE KEY-----\n${'x'.repeat(300)}\n-----END PRIVATE KEY-----`,
      'if (pem.startsWith("-----BEGIN RSA PRIVATE KEY-----")) return pem;',
    ],
  },
];

export default patterns;

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
/** The headers before the key itself: a checksum, the encryption method. A line break may be escaped. */
const FIELDS = /(?:(?:\s|\\+[nrt]){1,8}[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,200}){0,4}/y;
const BODY =
  /(?:[A-Za-z0-9+/=]{1,76}|(?:\n|\\+n)(?:-(?!-)|[>|]|[\w./-]{1,200}[:-]\d{1,7}[:-])|\s|\\+[nrt/]|["'`,+ ]){1,4000}/y;
const END = /-?-----END (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** An elliptic curve key has about 160. */
const LEAST_CHARACTERS = 100;
const LEAST_DIFFERENT = 30;

function* find(text: string): Generator<FoundSecret> {
  for (const { index, 0: begin } of text.matchAll(BEGIN)) {
    const fields = endOf(FIELDS, text, index + begin.length) ?? 0;
    const body = endOf(BODY, text, fields);
    if (body === null || !isKey(text.slice(fields, body))) continue;
    const end = endOf(END, text, body) ?? body;
    yield { kind: begin.includes('ENCRYPTED') ? 'encrypted private key' : 'private key', start: index, end };
  }
}

function isKey(body: string): boolean {
  const characters = body.replace(/\\+[nrt]|[^A-Za-z0-9+/]/g, '');
  return characters.length >= LEAST_CHARACTERS && new Set(characters.slice(0, 400)).size >= LEAST_DIFFERENT;
}

function endOf(sticky: RegExp, text: string, from: number): number | null {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : null;
}
