import { definePattern, type FoundSecret, type SecretPattern } from '../define.js';
import { isMadeUp } from '../looks-random.js';
import { isPassword, isTemplate } from '../passwords.js';

/** The places of passwords and keys in files of known formats. */
export const fileSecrets: readonly SecretPattern[] = [
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'netrc password',
    anchors: ['machine[ ]{1,4}[A-Za-z0-9-]{1,100}.[A-Za-z]{1}'],
    pattern:
      /(?<!\w)machine\s{1,8}[\w.-]{1,200}\s{1,8}(?:(?:login|account)\s{1,8}\S{1,200}\s{1,8}){0,2}password\s{1,8}(?<secret>[^\s"'\\,<]{4,400})/dg,
    isSecret: isPassword,
  }),
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'pgpass password',
    anchors: [':5432', ':*'].map((port) => `${port}:[A-Za-z0-9_*-]{1,64}:[A-Za-z0-9_.@-]{1,64}:[^\\s:]{6}`),
    pattern: /(?<![\w.-])[\w.*-]{1,100}:(?:5432|\*):[\w*-]{1,64}:[\w.@-]{1,64}:(?<secret>[^\s:"'\\,<]{6,200})/dg,
    isSecret: isPassword,
  }),
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'password hash',
    anchors: [
      ...['1', '5', '6', 'y', 'apr1'].map((scheme) => `$${scheme}$[./A-Za-z0-9=]{1,64}$[./A-Za-z0-9]{1}`),
      ...['2a', '2b', '2x', '2y'].map((scheme) => `$${scheme}$[0-9]{2}$[./A-Za-z0-9]{53}`),
    ],
    pattern:
      /\$(?:(?:1|5|6|apr1)\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|y\$[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|2[abxy]\$\d\d\$[./A-Za-z0-9]{53})(?![./A-Za-z0-9])/g,
    isSecret: (hash) => !isMadeUp(hash),
  }),
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'password in XML',
    anchors: ['ord', 'ase', 'ret', 'ken', 'Key'].map((end) => `${end}>[^<\\s]{6}`),
    pattern:
      /<(?<name>[\w:.-]{0,40}(?:password|passphrase|secret|token|apikey))>(?<secret>[^<\s]{6,400})<\/\k<name>>/dgi,
    isSecret: isPassword,
  }),
  definePattern({
    secretClass: 'assigned-secret',
    kind: 'password in XML',
    anchors: ['asswor[d]{1}["\\\\ ]{2,12}value=[\\\\"]{1,8}[^"\\\\]{6}'],
    pattern: /key="[\w:.-]{0,40}password"\s{1,8}value="(?<secret>[^"<]{6,400})"/dgi,
    isSecret: isPassword,
  }),
  definePattern({
    secretClass: 'private-key',
    kind: 'private key in base64',
    // -----BEGIN, followed by PRIVATE KEY, RSA …, EC …, ENCRYPTED …, OPENSSH …
    anchors: [
      'client-key-data:[ ]{0,8}[A-Za-z0-9+/]{100}',
      ...[
        'BQUklWQVRFIEtFWS',
        'BSU0EgUFJJVkFURSBLRVkt',
        'BFQyBQUklWQVRFIEtFWS',
        'BFTkNSWVBURUQgUFJJVkFUR',
        'BPUEVOU1NIIFBSSVZBVEUg',
      ].map((label) => `LS0tLS1CRUdJTi${label}[A-Za-z0-9+/]{60}`),
    ],
    pattern:
      /(?:client-key-data["']?:\s{0,8}["']?(?=[A-Za-z0-9+/]{100})|(?=LS0tLS1CRUdJTiB(?:QUklW|SU0Eg|FQyBQ|FTkNS|PUEVO)))(?<secret>[A-Za-z0-9+/]{80,20000}={0,2})/dg,
    isSecret: (key) => !isMadeUp(key.slice(20)),
  }),
  {
    secretClass: 'private-key',
    kind: 'PuTTY private key',
    anchors: ['Private-Lines:[ ]{1}[0-9]{1}'],
    find: findPutty,
  },
];

const PRIVATE_LINES = /Private-Lines: (?<count>\d{1,3})\r?(?:\n|\\{1,16}n)/dg;
/** A line of a key, with the prefix that a tool adds. */
const KEY_LINE = /(?!.{0,120}Private-MAC)[^\n\\]{0,120}?[A-Za-z0-9+/]{4,64}={0,2}(?:\r?\n|\\{1,16}n|(?=["'\s\\<]|$))/y;
/** The prefix that a tool adds to the first line. */
const BEFORE_KEY = /[^A-Za-z0-9+/]{0,120}/y;

function* findPutty(text: string): Generator<FoundSecret> {
  for (const { index, 0: head, groups = {} } of text.matchAll(PRIVATE_LINES)) {
    BEFORE_KEY.lastIndex = index + head.length;
    BEFORE_KEY.test(text);
    const start = BEFORE_KEY.lastIndex;
    KEY_LINE.lastIndex = start;
    let end = start;
    for (let left = Number(groups.count); left > 0 && KEY_LINE.test(text); left -= 1) end = KEY_LINE.lastIndex;
    const key = text.slice(start, end).replace(/(?:\s|\\{1,16}n)+$/, '');
    if (key.length >= LEAST && !isTemplate(key)) yield { kind: 'PuTTY private key', start, end: start + key.length };
  }
}

const LEAST = 40;

/** Keys in PEM and in PGP armour, also with escaped line breaks, and truncated at the end of an output. */
export const privateKeys: readonly SecretPattern[] = [
  {
    secretClass: 'private-key',
    kind: 'private key',
    anchors: ['PRIVATE KEY-----', 'PRIVATE KEY BLOCK-----', 'PRIVATE KEY ----', 'BEGIN OpenVPN '],
    find,
  },
];

const LABEL =
  '(?:(?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?|OpenVPN (?:Static key V1|tls-crypt-v2 (?:client|server) key))';
const BEGIN = new RegExp(`-{4,5} ?BEGIN ${LABEL} ?-{4,5}`, 'g');
/** The prefixes that tools add to lines: a number, a sign of a diff or a quote, the name of a file and a number. */
const PREFIXES =
  '(?:[ \\t]{0,12}(?:\\d{1,7}\\s?(?:→|[|:│)\\]-])|[>|+#*│┃;]|//|-(?!-)|[\\w./-]{1,200}[:-]\\d{1,7}[:-])(?:\\\\+t)?){1,3}';
const NEW_LINE = '(?:\\r?\\n|\\\\+n)';
/** The headers before the key itself: a checksum, the encryption method, a comment. A line break may be escaped. */
const FIELDS = new RegExp(
  `(?:(?:\\s|\\\\+r){0,8}${NEW_LINE}(?:${PREFIXES}|(?:[^\\nA-Za-z\\\\]|\\\\+t){0,40})[ \\t]{0,12}(?:[A-Z][A-Za-z-]{2,20}: [^\\n\\\\]{0,200}|#[^\\n\\\\]{0,100})){0,4}`,
  'y',
);
const BODY = new RegExp(`(?:[A-Za-z0-9+/=]{1,76}|${NEW_LINE}${PREFIXES}|\\s|\\\\+[nrt/]|["'\`,+ ]){1,4000}`, 'y');
const END = new RegExp(`-?-{4,5} ?END ${LABEL} ?-{4,5}`, 'y');
/** An elliptic curve key has about 160. */
const LEAST_CHARACTERS = 100;
const LEAST_DIFFERENT = 30;
/** The static key of OpenVPN is hex. */
const DIFFERENT_OF_HEX = 14;

function* find(text: string): Generator<FoundSecret> {
  for (const { index, 0: begin } of text.matchAll(BEGIN)) {
    const fields = findEnd(FIELDS, text, index + begin.length) ?? 0;
    const body = findEnd(BODY, text, fields);
    if (
      body === null ||
      !isKey(text.slice(fields, body), begin.includes('OpenVPN') ? DIFFERENT_OF_HEX : LEAST_DIFFERENT)
    )
      continue;
    const end = findEnd(END, text, body) ?? body;
    yield { kind: begin.includes('ENCRYPTED') ? 'encrypted private key' : 'private key', start: index, end };
  }
}

function isKey(body: string, leastDifferent: number): boolean {
  const characters = body.replace(/\\+[nrt]|[^A-Za-z0-9+/]/g, '');
  return characters.length >= LEAST_CHARACTERS && new Set(characters.slice(0, 400)).size >= leastDifferent;
}

function findEnd(sticky: RegExp, text: string, from: number): number | null {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : null;
}
