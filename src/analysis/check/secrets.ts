import type { SecretClass } from '#analysis/secrets/define.js';
import { listSecretAnchors } from '#analysis/secrets/find-secrets.js';
import { findEntrySecrets, type PlacedSecret } from '#analysis/secrets/secrets-in-entry.js';
import type { JsonObject } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import type { Head } from '#session/heads/head.js';
import { maskSecret } from '../secrets/secrets-in-entry.js';
import { defineRule, type Hit, type Rule, type RuleDefinition } from './define.js';
import { ANSWERED, HEADER, toolResult } from './example.js';

/** Split, so that secret scanners do not report this file. */
const KEY = ['AKIA', 'Q3EGRZJ2XKPL7YTN'].join('');

/** Random characters, not a real key. */
const BODY =
  'PtYgjmUhBel31iEl2hpChYgCfrL1spNxnyVmihA/2O76UMFxFkM/R5Kjp1vRt+1f\njORS/6ilI8ihN5KXSc7Tvo/hBKqFYY/kv5ZJr3J1TWDtkwtDDb+xHKas1VOqg6YY';

/** The rules about keys and passwords in plain text, one for each class of secret. */
export const rules: readonly RuleDefinition[] = secretRules([
  {
    name: 'credential',
    severity: 'error',
    summary: 'A key or token of a known service is in plain text',
    help:
      'Every text of a session was sent to a provider, is stored on disk as plain text, and is copied with the ' +
      'session into bug reports, shared transcripts and backups. Every reader can use the key. The rule recognises ' +
      'the key formats of about a hundred services, and ignores placeholders and examples from documentation. ' +
      'Revoke the key first, then remove it from the session. See [Secrets](../use/secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', `aws_access_key_id = ${KEY}`)],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'aws_access_key_id = AKIAIOSFODNN7EXAMPLE')],
    },
    fix: 'revoke it at the service that issued it, then remove it from the session',
  },
  {
    name: 'private-key',
    severity: 'error',
    summary: 'A private key is in plain text',
    help:
      'Every reader of the session can act as its host, user or service wherever the public key is trusted. Keys are found ' +
      'in PEM, in PGP armour and in JSON, such as the key file of a Google service account, even if a tool ' +
      'truncated them. A header alone, a public key and a placeholder are not reported. Replace the key, then ' +
      'remove it from the session. See [Secrets](../use/secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', pem(BODY))],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', pem('...'))],
    },
    fix: 'replace the key, then remove it from the session',
  },
  {
    name: 'url-password',
    severity: 'warning',
    summary: 'A URL contains a password',
    help:
      'The URL of a database, a queue or a proxy lets every reader of the session log in. URLs on this machine or ' +
      'under example.com, and passwords such as `postgres` or `${PASSWORD}`, are not reported. Change the password, ' +
      'and read the URL from the environment. See [Secrets](../use/secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', address('Xk7vQ2mLp9'))],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', address('${DB_PASSWORD}'))],
    },
    fix: 'change the password, then remove it from the session',
  },
  {
    name: 'authorization',
    severity: 'warning',
    summary: 'A bearer token, a JSON Web Token or basic authorization is in plain text',
    help:
      'Every reader of the session can repeat a request that was printed with its headers, until the token expires; ' +
      'the expiry cannot be read from the token. Variables, words and the example token of manuals are not ' +
      'reported. Revoke the login, then remove the token from the session. See [Secrets](../use/secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', request('9f2Kc8Lq4Zr7Vx1Tn6Bw3Md5'))],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', request('$WEATHER_TOKEN'))],
    },
    fix: 'revoke the login that it belongs to, then remove it from the session',
  },
  {
    name: 'assigned-secret',
    severity: 'warning',
    summary: 'A variable named password, secret, key or token has a random value',
    help:
      'Most secrets have no format of their own, and are recognised only by their name: `DB_PASSWORD=…`, `"apiKey": ' +
      '"…"`. A value counts if it is at least eight characters long, or twelve without quotes, contains letters and ' +
      'digits, and is not a path, template, call or name. This is a heuristic: it misses passwords made of words, ' +
      'and may report random values that are not secret. See [Secrets](../use/secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'WEATHER_API_KEY=7Gh2kLm9Qx4vTz8R')],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'WEATHER_API_KEY=your-key-goes-here-1')],
    },
    fix: 'change it if it is a secret, then remove it from the session',
  },
]);

function pem(body: string): string {
  return ['-----BEGIN', ' PRIVATE KEY-----\n', body, '\n-----END', ' PRIVATE KEY-----\n'].join('');
}

function address(password: string): string {
  return `DATABASE_URL=postgres://weather:${password}@db.weather.net/maps`;
}

function request(token: string): string {
  return `curl -H 'Authorization: Bearer ${token}' https://api.weather.net/maps`;
}

interface SecretRow extends Pick<Rule, 'severity' | 'summary' | 'help' | 'example'> {
  readonly name: SecretClass;
  readonly fix: string;
}

function secretRules(rows: readonly SecretRow[]): readonly RuleDefinition[] {
  return rows.map(({ fix, ...about }) =>
    defineRule({
      ...about,
      looksAt: 'entry',
      anchors: listSecretAnchors(about.name),
      find: (entry, head) => hitsOf(secretsOf(entry), about.name, head, fix),
    }),
  );
}

/** The secrets of each entry, so that an entry is searched once for all rules. Each secret belongs to one rule. */
const secretsOf = memoizeByObject((entry: JsonObject) => findEntrySecrets(entry));

/** Yields one hit for each distinct secret of a text. */
function* hitsOf(secrets: readonly PlacedSecret[], means: SecretClass, head: Head, fix: string): Generator<Hit> {
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret.means !== means) continue;
    const value = secret.text.slice(secret.start, secret.end);
    const key = `${secret.place}\n${value}`;
    if (known.has(key)) continue;
    known.add(key);
    yield { message: `secret in plain text: ${secret.kind} ${maskSecret(value)}`, at: head, place: secret.place, fix };
  }
}
