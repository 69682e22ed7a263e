import { ANSWERED, HEADER, toolResult } from '../example.js';
import { defineSecretRule } from './secret-rule.js';

/** Random characters, not a real key. */
const BODY =
  'PtYgjmUhBel31iEl2hpChYgCfrL1spNxnyVmihA/2O76UMFxFkM/R5Kjp1vRt+1f\njORS/6ilI8ihN5KXSc7Tvo/hBKqFYY/kv5ZJr3J1TWDtkwtDDb+xHKas1VOqg6YY';

export default defineSecretRule({
  name: 'private-key',
  severity: 'error',
  summary: 'A private key is in plain text',
  help:
    'Every reader of the session can act as its host, user or service wherever the public key is trusted. Keys are found ' +
    'in PEM, in PGP armour and in JSON, such as the key file of a Google service account, even if a tool ' +
    'truncated them. A header alone, a public key and a placeholder are not reported. Replace the key, then ' +
    'remove it from the session. See [Secrets](../use/secrets.md).',
  example: {
    fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', buildPem(BODY))],
    silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', buildPem('...'))],
  },
  fix: 'replace the key, then remove it from the session',
});

function buildPem(body: string): string {
  return ['-----BEGIN', ' PRIVATE KEY-----\n', body, '\n-----END', ' PRIVATE KEY-----\n'].join('');
}
