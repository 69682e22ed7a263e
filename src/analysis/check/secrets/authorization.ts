import { ANSWERED, HEADER, toolResult } from '../example.js';
import { defineSecretRule } from './secret-rule.js';

export default defineSecretRule({
  name: 'authorization',
  severity: 'warning',
  summary: 'A bearer token, a JSON Web Token or basic authorization is in plain text',
  help:
    'Every reader of the session can repeat a request that was printed with its headers, until the token expires; ' +
    'the expiry cannot be read from the token. Variables, words and the example token of manuals are not ' +
    'reported. Revoke the login, then remove the token from the session. See [Secrets](../use/secrets.md).',
  example: {
    fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', buildCommand('9f2Kc8Lq4Zr7Vx1Tn6Bw3Md5'))],
    silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', buildCommand('$WEATHER_TOKEN'))],
  },
  fix: 'revoke the login that it belongs to, then remove it from the session',
});

function buildCommand(token: string): string {
  return `curl -H 'Authorization: Bearer ${token}' https://api.weather.net/maps`;
}
