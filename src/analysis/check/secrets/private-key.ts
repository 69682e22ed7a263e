import { defineRule } from '../define.js';
import { ANSWERED, HEADER, toolResult } from '../example.js';
import { lookingFor } from './found.js';

/** Random characters, and no key of anybody. */
const BODY =
  'PtYgjmUhBel31iEl2hpChYgCfrL1spNxnyVmihA/2O76UMFxFkM/R5Kjp1vRt+1f\njORS/6ilI8ihN5KXSc7Tvo/hBKqFYY/kv5ZJr3J1TWDtkwtDDb+xHKas1VOqg6YY';

export default defineRule({
  name: 'private-key',
  group: 'secrets',
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
  ...lookingFor('private-key', 'replace the key, then take it out of the session'),
});

function pem(body: string): string {
  return ['-----BEGIN', ' PRIVATE KEY-----\n', body, '\n-----END', ' PRIVATE KEY-----\n'].join('');
}
