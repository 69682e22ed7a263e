import { Buffer } from 'node:buffer';
import { type FoundSecret, type SecretPattern, shaped } from '../define.js';
import { ALNUM, BASE64URL, HEX, isMadeUp, isPassword, isTemplate, isWeak, looksRandom } from '../looks-random.js';

/** The authorization of HTTP requests to any service. */
export const authorization: readonly SecretPattern[] = [
  shaped({
    means: 'authorization',
    kind: 'JSON Web Token',
    // {"alg, {"typ, {"kid, {"enc, {"x5t, {"jku, {"cty, and headers with a space or a line break after the brace.
    anchors: ['eyJh', 'eyJ0', 'eyJr', 'eyJl', 'eyJ4', 'eyJq', 'eyJj', 'eyAi', 'ewog', 'ewoJ'].map(
      (start) => `${start}[A-Za-z0-9_-]{16,800}.e[wy]{1}[A-Za-z0-9_-]{10}`,
    ),
    pattern:
      /(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)(?<header>e[yw][A-Za-z0-9_-]{18,800})\.(?<claims>e[yw][A-Za-z0-9_-]{10,6000})\.[A-Za-z0-9_-]{20,1400}/g,
    isSecret: (_token, { header = '', claims = '' }) => isSigned(header) && !isPublic(claims),
    example(dice) {
      const secret = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: dice(HEX, 12), exp: 1_800_000_000 })}.${dice(BASE64URL, 43)}`;
      return { text: `cookie: session=${secret}; path=/`, secret };
    },
    counterexamples: [
      'eyJhbGciOiJIUzI1NiJ9',
      `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: '1234567890', name: 'John Doe' })}.${'A'.repeat(43)}`,
      `${encoded({ alg: 'none' })}.${encoded({ sub: 'ada' })}.${'A'.repeat(43)}`,
    ],
  }),
  shaped({
    means: 'authorization',
    kind: 'bearer token',
    anchors: ['Bearer', 'bearer', 'BEARER'].map((word) => `${word} [A-Za-z0-9_~+/.=-]{20}`),
    pattern: /(?<![A-Za-z])(?:Bearer|bearer|BEARER) (?<secret>[A-Za-z0-9_~+/.=-]{20,2000})(?![A-Za-z0-9_~+/.=-])/dg,
    isSecret: (token) => looksRandom(token.slice(0, 400), 20),
    example(dice) {
      const secret = `${dice('A-Z', 1)}${dice('0-9', 2)}${dice(ALNUM, 37)}`;
      return { text: `curl -H 'Authorization: Bearer ${secret}' https://api.example.net`, secret };
    },
    counterexamples: [
      'Authorization: Bearer $TOKEN',
      'a bearer of-rather-long-words-and-names',
      'Bearer YOUR_ACCESS_TOKEN_1234',
    ],
  }),
  shaped({
    means: 'authorization',
    kind: 'basic authorization',
    anchors: ['Basic [A-Za-z0-9+/]{10}', 'basic [A-Za-z0-9+/]{10}'],
    pattern:
      /uthorization(?:\\{0,8}["'`])?\]?\s{0,3}[:=,]\s{0,3}(?:\\{0,8}["'`])?[Bb]asic (?<secret>[A-Za-z0-9+/]{10,400}={0,2})/dg,
    isSecret: (token) => isUserAndPassword(Buffer.from(token, 'base64').toString('latin1')),
    example(dice) {
      const secret = Buffer.from(`ada:${dice(ALNUM, 12)}`).toString('base64');
      return { text: `Authorization: Basic ${secret}`, secret };
    },
    counterexamples: ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic credentials', 'a basic understanding'],
  }),
  shaped({
    means: 'authorization',
    kind: 'authorization',
    anchors: ['uthorization["\'\\\\]{0,8}[:=]{1}[ ]{0,3}["\'\\\\]{0,8}[A-Za-z-]{3,12}[ ]{1}[A-Za-z0-9_~+/.=-]{20}'],
    pattern:
      /uthorization["']?\s{0,3}[:=]\s{0,3}["']?(?!Bearer|Basic)[A-Za-z-]{3,12} (?<secret>[A-Za-z0-9_~+/.=-]{20,2000})(?![A-Za-z0-9_~+/.=-])/dgi,
    isSecret: (token) => looksRandom(token.slice(0, 400), 20),
    example(dice) {
      const secret = dice(HEX, 40);
      return { text: `Authorization: Token ${secret}`, secret };
    },
    counterexamples: ['Authorization: Token YOUR_TOKEN_GOES_HERE_1', 'authorization: the-name-of-a-header is needed'],
  }),
  shaped({
    means: 'authorization',
    kind: 'user and password in base64',
    anchors: ['auth[\\\\"]{1,17}:[ ]{0,4}[\\\\"]{1,17}[A-Za-z0-9+/]{10}', '_auth[ ]{0,4}=[ ]{0,4}[A-Za-z0-9+/]{10}'],
    pattern:
      /(?:"auth"\s{0,4}:\s{0,4}"|(?<!\w)_auth\s{0,4}=\s{0,4}"?)(?<secret>[A-Za-z0-9+/]{10,2000}={0,2})(?![A-Za-z0-9+/=])/dg,
    isSecret: (token) => isUserAndPassword(Buffer.from(token, 'base64').toString('latin1')),
    example(dice) {
      const secret = Buffer.from(`ada:${dice(ALNUM, 12)}`).toString('base64');
      return { text: `{"auths":{"registry.weather.net":{"auth":"${secret}"}}}`, secret };
    },
    counterexamples: ['{"auth":"dXNlcjpwYXNz"}', '{"auth":"configuration"}'],
  }),
  {
    means: 'authorization',
    kind: 'cookie',
    anchors: ['ookie', 'OOKIE'].map(
      (name) => `${name}["'\\\\]{0,8}:[ ]{0,4}["'\\\\]{0,8}[^\\s;="%]{1,100}=[^;\\s"]{1}`,
    ),
    find: findCookies,
    example(dice) {
      const secret = dice(HEX, 32);
      return { text: `Cookie: theme=dark; session=${secret}; page=1`, secret };
    },
    counterexamples: ['Set-Cookie: theme=dark; Path=/; Max-Age=86400', 'Cookie: session=$SESSION', 'cookie: a=b'],
  },
  shaped({
    means: 'authorization',
    kind: 'cookie',
    anchors: ['connect.sid=s'],
    pattern: /connect\.sid=(?<secret>s(?::|%3A)[\w-]{20,64}\.[\w%/+-]{20,100})/dg,
    example(dice) {
      const secret = `s%3A${dice(BASE64URL, 32)}.${dice(ALNUM, 43)}`;
      return { text: `curl -b connect.sid=${secret} https://weather.net`, secret };
    },
    counterexamples: ['connect.sid=session', 'connect.sid=s%3A...'],
  }),
];

/** The cookies of a header, if they are random. */
function* findCookies(text: string): Generator<FoundSecret> {
  for (const { indices } of text.matchAll(COOKIES)) {
    const [from, to] = indices?.groups?.['cookies'] ?? [0, 0];
    for (const pair of text.slice(from, to).matchAll(COOKIE)) {
      const [start, end] = pair.indices?.groups?.['secret'] ?? [0, 0];
      if (looksRandom(text.slice(from + start, Math.min(from + end, from + start + 400)), 16))
        yield { kind: 'cookie', start: from + start, end: from + end };
    }
  }
}

const COOKIES = /cookie["']?: {0,4}["']?(?<cookies>[^\r\n"'\\<]{8,8000})/dgi;
const COOKIE = /[^=;\s]{1,100}=(?<secret>[^;\s,]{16,4000})/dg;

function encoded(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url');
}

function isSigned(header: string): boolean {
  const { alg } = decoded(header);
  return typeof alg === 'string' && alg !== 'none';
}

/** Supabase's key for browsers, and the common example token. */
function isPublic(claims: string): boolean {
  const { role, sub } = decoded(claims);
  return role === 'anon' || sub === '1234567890';
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isUserAndPassword(text: string): boolean {
  const [user, password = ''] = text.split(/:(.*)/s);
  return (
    /^[ -~]{6,}$/.test(text) && password.length >= 6 && password !== user && !isWeak(password) && !isMadeUp(password)
  );
}

/** The password in the URL of a database, a queue, a proxy or a page. */
export const urlPasswords: readonly SecretPattern[] = [
  shaped({
    means: 'url-password',
    kind: 'password in a URL',
    anchors: ['://[^\\s:@/?#"\'`<>\\\\]{0,100}:[^\\s@/?#"\'`<>\\\\]{6,200}@'],
    pattern:
      /(?<![a-z0-9.-]|[a-z0-9]\+)[a-z][a-z0-9+.-]{1,24}:\/\/(?<user>[^\s:@/?#"'`<>\\]{0,100}):(?<secret>[^\s@/?#"'`<>\\]{6,200})@(?<host>[A-Za-z0-9_.-]{1,200}|\[)/dg,
    isSecret: (password, { user, host = '' }) =>
      password !== user &&
      !isWeak(password) &&
      !isTemplate(password) &&
      !ON_THIS_MACHINE.test(host) &&
      !isMadeUp(password),
    example(dice) {
      const secret = `${dice('A-Z', 1)}${dice('0-9', 2)}${dice(ALNUM, 13)}`;
      return { text: `DATABASE=postgresql://weather:${secret}@db.weather.net:5432/maps?sslmode=require`, secret };
    },
    counterexamples: [
      'postgres://postgres:postgres@localhost:5432/app',
      'postgres://user:password@db.example.com/app',
      'redis://:${REDIS_PASSWORD}@redis:6379',
      'https://git@github.com:22/a/b',
      'mysql://root:s3cretpw1@127.0.0.1/x',
    ],
  }),
  shaped({
    means: 'url-password',
    kind: 'password in a URL',
    anchors: ['jdbc:oracle:[a-z0-9]{1,10}:[^\\s/:@%]{1,64}/'],
    pattern: /jdbc:oracle:\w{1,10}:[^\s/:@]{1,64}\/(?<secret>[^\s@/"']{6,100})@/dg,
    isSecret: isPassword,
    example(dice) {
      const secret = `${dice('A-Z', 1)}${dice('0-9', 2)}${dice(ALNUM, 13)}`;
      return { text: `jdbc:oracle:thin:ada/${secret}@db.weather.net:1521:maps`, secret };
    },
    counterexamples: ['jdbc:oracle:thin:scott/tiger@localhost:1521:x', 'jdbc:oracle:thin:@localhost:1521:x'],
  }),
];

const ON_THIS_MACHINE =
  /^(?:localhost|127\.|0\.0\.0\.0|host\.docker|\[|.*(?:^|\.)example(?:\.|$)|.*\.(?:test|invalid|localhost)$|host(?:name)?$|server$)/i;
