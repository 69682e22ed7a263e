import { Buffer } from 'node:buffer';
import { definePattern, type FoundSecret, type SecretPattern } from '../define.js';
import { isMadeUp, looksRandom } from '../looks-random.js';
import { isPassword, isTemplate, isWeak } from '../passwords.js';

/** The authorization of HTTP requests to any service. */
export const authorization: readonly SecretPattern[] = [
  definePattern({
    secretClass: 'authorization',
    kind: 'JSON Web Token',
    // {"alg, {"typ, {"kid, {"enc, {"x5t, {"jku, {"cty, and headers with a space or a line break after the brace.
    anchors: ['eyJh', 'eyJ0', 'eyJr', 'eyJl', 'eyJ4', 'eyJq', 'eyJj', 'eyAi', 'ewog', 'ewoJ'].map(
      (start) => `${start}[A-Za-z0-9_-]{16,800}.e[wy]{1}[A-Za-z0-9_-]{10}`,
    ),
    pattern:
      /(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)(?<header>e[yw][A-Za-z0-9_-]{18,800})\.(?<claims>e[yw][A-Za-z0-9_-]{10,6000})\.[A-Za-z0-9_-]{20,1400}/g,
    isSecret: (_token, { header = '', claims = '' }) => isSigned(header) && !isPublic(claims),
  }),
  definePattern({
    secretClass: 'authorization',
    kind: 'encrypted JSON Web Token',
    anchors: ['eyJh', 'eyJl', 'eyJ0', 'eyJj', 'eyJr'].map((start) => `${start}[A-Za-z0-9_-]{16,800}.`),
    pattern:
      /(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)(?<header>ey[A-Za-z0-9_-]{18,800})\.[A-Za-z0-9_-]{0,1400}\.[A-Za-z0-9_-]{16,24}\.[A-Za-z0-9_-]{10,6000}\.[A-Za-z0-9_-]{22,43}(?![A-Za-z0-9_-])/g,
    isSecret: (_token, { header = '' }) => typeof decodeToken(header).enc === 'string',
  }),
  definePattern({
    secretClass: 'authorization',
    kind: 'bearer token',
    anchors: ['Bearer', 'bearer', 'BEARER'].map((word) => `${word} [A-Za-z0-9_~+/.=-]{20}`),
    pattern: /(?<![A-Za-z])(?:Bearer|bearer|BEARER) (?<secret>[A-Za-z0-9_~+/.=:%-]{20,2000})(?![A-Za-z0-9_~+/.=-])/dg,
    isSecret: (token) => looksRandom(token.slice(0, 400), 20),
  }),
  definePattern({
    secretClass: 'authorization',
    kind: 'basic authorization',
    anchors: ['Basic [A-Za-z0-9+/]{10}', 'basic [A-Za-z0-9+/]{10}'],
    pattern:
      /uthorization(?:\\{0,8}["'`])?\]?\s{0,3}[:=,]\s{0,3}(?:\\{0,8}["'`])?[Bb]asic (?<secret>[A-Za-z0-9+/]{10,400}={0,2})/dg,
    isSecret: (token) => isUserAndPassword(Buffer.from(token, 'base64').toString('latin1')),
  }),
  definePattern({
    secretClass: 'authorization',
    kind: 'authorization',
    anchors: ['uthorization["\'\\\\]{0,8}[:=]{1}[ ]{0,3}["\'\\\\]{0,8}[A-Za-z-]{3,12}[ ]{1}[A-Za-z0-9_~+/.=-]{20}'],
    pattern:
      /uthorization["']?\s{0,3}[:=]\s{0,3}["']?(?!Bearer|Basic)[A-Za-z-]{3,12} (?<secret>[A-Za-z0-9_~+/.=-]{20,2000})(?![A-Za-z0-9_~+/.=-])/dgi,
    isSecret: (token) => looksRandom(token.slice(0, 400), 20),
  }),
  definePattern({
    secretClass: 'authorization',
    kind: 'user and password in base64',
    anchors: ['auth[\\\\"]{1,17}:[ ]{0,4}[\\\\"]{1,17}[A-Za-z0-9+/]{10}', '_auth[ ]{0,4}=[ ]{0,4}[A-Za-z0-9+/]{10}'],
    pattern:
      /(?:"auth"\s{0,4}:\s{0,4}"|(?<!\w)_auth\s{0,4}=\s{0,4}"?)(?<secret>[A-Za-z0-9+/]{10,2000}={0,2})(?![A-Za-z0-9+/=])/dg,
    isSecret: (token) => isUserAndPassword(Buffer.from(token, 'base64').toString('latin1')),
  }),
  {
    secretClass: 'authorization',
    kind: 'cookie',
    anchors: ['ookie', 'OOKIE'].map(
      (name) => `${name}["'\\\\]{0,8}:[ ]{0,4}["'\\\\]{0,8}[^\\s;="%]{1,100}=[^;\\s"]{1}`,
    ),
    find: findCookies,
  },
  definePattern({
    secretClass: 'authorization',
    kind: 'cookie',
    anchors: ['connect.sid=s'],
    pattern: /connect\.sid=(?<secret>s(?::|%3A)[\w-]{20,64}\.[\w%/+-]{20,100})/dg,
  }),
];

/** The cookies of a header, if they are random. */
function* findCookies(text: string): Generator<FoundSecret> {
  for (const { indices } of text.matchAll(COOKIES)) {
    const [from, to] = indices?.groups?.cookies ?? [0, 0];
    for (const pair of text.slice(from, to).matchAll(COOKIE)) {
      const [start, end] = pair.indices?.groups?.secret ?? [0, 0];
      if (looksRandom(text.slice(from + start, Math.min(from + end, from + start + 400)), 16))
        yield { kind: 'cookie', start: from + start, end: from + end };
    }
  }
}

const COOKIES = /cookie["']?: {0,4}["']?(?<cookies>[^\r\n"'\\<]{8,8000})/dgi;
const COOKIE = /[^=;\s]{1,100}=(?<secret>[^;\s,]{16,4000})/dg;

function isSigned(header: string): boolean {
  const { alg } = decodeToken(header);
  return typeof alg === 'string' && alg !== 'none';
}

/** Supabase's key for browsers, and the common example token. */
function isPublic(claims: string): boolean {
  const { role, sub } = decodeToken(claims);
  return role === 'anon' || sub === '1234567890';
}

function decodeToken(part: string): Readonly<Record<string, unknown>> {
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
  definePattern({
    secretClass: 'url-password',
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
  }),
  definePattern({
    secretClass: 'url-password',
    kind: 'password in a URL',
    anchors: ['jdbc:oracle:[a-z0-9]{1,10}:[^\\s/:@%]{1,64}/'],
    pattern: /jdbc:oracle:\w{1,10}:[^\s/:@]{1,64}\/(?<secret>[^\s@/"']{6,100})@/dg,
    isSecret: isPassword,
  }),
];

const ON_THIS_MACHINE =
  /^(?:localhost|127\.|0\.0\.0\.0|host\.docker|\[|.*(?:^|\.)example(?:\.|$)|.*\.(?:test|invalid|localhost)$|host(?:name)?$|server$)/i;
