import type { SecretClass } from '#analysis/secrets/define.js';
import { anchorsOf } from '#analysis/secrets/find-secrets.js';
import { type PlacedSecret, secretsInEntry } from '#analysis/secrets/secrets-in-entry.js';
import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/table/head.js';
import { mask } from '../secrets/secrets-in-entry.js';
import { defineRule, type Hit, type Rule } from './define.js';
import { ANSWERED, HEADER, toolResult } from './example.js';

/** In two parts, so that a search of the sources does not take it for one. */
const KEY = ['AKIA', 'Q3EGRZJ2XKPL7YTN'].join('');

/** Random characters that are the key of no host. */
const BODY =
  'PtYgjmUhBel31iEl2hpChYgCfrL1spNxnyVmihA/2O76UMFxFkM/R5Kjp1vRt+1f\njORS/6ilI8ihN5KXSc7Tvo/hBKqFYY/kv5ZJr3J1TWDtkwtDDb+xHKas1VOqg6YY';

/** Keys and passwords in plain text: one rule for each means of finding them. */
export const rules: readonly Rule[] = secretRules([
  {
    name: 'credential',
    severity: 'error',
    summary: 'A key or token of a known service stands in plain text',
    help:
      'Everything in a session was sent to a provider, is kept on disk as plain text, and goes wherever the session goes: ' +
      'a bug report, a shared transcript, a backup. Whoever reads it can use the key. The shapes of the keys of about a ' +
      'hundred services are known; placeholders and the examples of manuals are not reported. Revoke the key first, ' +
      'then take it out of the session. See [Secrets](../secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', `aws_access_key_id = ${KEY}`)],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'aws_access_key_id = AKIAIOSFODNN7EXAMPLE')],
    },
    fix: 'revoke it where it was made, then take it out of the session',
  },
  {
    name: 'private-key',
    severity: 'error',
    summary: 'A private key stands in plain text',
    help:
      'Whoever has the key is the host, the user or the service that it belongs to, wherever its public half is trusted. ' +
      'A key is found in PEM, in the armour of PGP and inside of JSON, such as the key file of a Google service account, ' +
      'also where a tool cut it off. A header alone, a public key and a placeholder are not reported. Replace the key, ' +
      'then take it out of the session. See [Secrets](../secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', pem(BODY))],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', pem('...'))],
    },
    fix: 'replace the key, then take it out of the session',
  },
  {
    name: 'url-password',
    severity: 'warning',
    summary: 'An address holds a password',
    help:
      'The address of a data base, a queue or a proxy tells everybody who reads the session how to get in. Addresses on ' +
      'this machine, under example.com and with a password like `postgres` or `${PASSWORD}` are not reported. Change the ' +
      'password, and let the address come from the environment. See [Secrets](../secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', address('Xk7vQ2mLp9'))],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', address('${DB_PASSWORD}'))],
    },
    fix: 'change the password, then take it out of the session',
  },
  {
    name: 'authorization',
    severity: 'warning',
    summary: 'A bearer token, a JSON Web Token or basic authorization stands in plain text',
    help:
      'A request that was shown with its headers can be sent again by whoever reads the session, until the token expires, ' +
      'which nobody can tell from outside. Variables, words and the token that every manual shows are not reported. ' +
      'End the login that the token belongs to, then take it out of the session. See [Secrets](../secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', request('9f2Kc8Lq4Zr7Vx1Tn6Bw3Md5'))],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', request('$WEATHER_TOKEN'))],
    },
    fix: 'end the login that it belongs to, then take it out of the session',
  },
  {
    name: 'assigned-secret',
    severity: 'warning',
    summary: 'What is called a password, secret, key or token has a random value',
    help:
      'Most secrets have no shape of their own, and are known only by the name that they are given: `DB_PASSWORD=…`, ' +
      '`"apiKey": "…"`. A value counts if it is eight characters long, or twelve without quotes, has letters and digits, ' +
      'and is no path, template, call or name. So it is a guess: a password made of words is not found, and a random ' +
      'value that is no secret may be. See [Secrets](../secrets.md).',
    example: {
      fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'WEATHER_API_KEY=7Gh2kLm9Qx4vTz8R')],
      silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'WEATHER_API_KEY=your-key-goes-here-1')],
    },
    fix: 'change it if it is a secret, then take it out of the session',
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

function secretRules(rows: readonly SecretRow[]): readonly Rule[] {
  return rows.map(({ fix, ...about }) =>
    defineRule({
      ...about,
      group: 'secrets',
      looksAt: 'entry',
      anchors: anchorsOf(about.name),
      find: async (entry, head) => hitsOf(await secretsOf(entry), about.name, head, fix),
    }),
  );
}

/** An entry is shown to several rules one after another, and searched once, for all: what one finds is none of another's. */
const searched = new WeakMap<JsonObject, Promise<readonly PlacedSecret[]>>();

function secretsOf(entry: JsonObject): Promise<readonly PlacedSecret[]> {
  const known = searched.get(entry);
  if (known) return known;
  const found = secretsInEntry(entry);
  searched.set(entry, found);
  return found;
}

/** One for each secret of a text, however often it is there. */
function* hitsOf(secrets: readonly PlacedSecret[], means: SecretClass, head: Head, fix: string): Generator<Hit> {
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret.means !== means) continue;
    const value = secret.text.slice(secret.start, secret.end);
    const key = `${secret.place}\n${value}`;
    if (known.has(key)) continue;
    known.add(key);
    yield { message: `secret in plain text: ${secret.kind} ${mask(value)}`, at: head, place: secret.place, fix };
  }
}
