import { defineRule } from '../define.js';
import { ANSWERED, HEADER, toolResult } from '../example.js';
import { lookingFor } from './found.js';

export default defineRule({
  name: 'authorization',
  group: 'secrets',
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
  ...lookingFor('authorization', 'end the login that it belongs to, then take it out of the session'),
});

function request(token: string): string {
  return `curl -H 'Authorization: Bearer ${token}' https://api.weather.net/maps`;
}
