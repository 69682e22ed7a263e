import { ANSWERED, HEADER, toolResult } from '../example.js';
import { defineSecretRule } from './secret-rule.js';

export default defineSecretRule({
  name: 'url-password',
  severity: 'warning',
  summary: 'A URL contains a password',
  help:
    'The URL of a database, a queue or a proxy lets every reader of the session log in. URLs on this machine or ' +
    'under example.com, and passwords such as `postgres` or `${PASSWORD}`, are not reported. Change the password, ' +
    'and read the URL from the environment. See [Secrets](../use/secrets.md).',
  example: {
    fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', buildAddress('Xk7vQ2mLp9'))],
    silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', buildAddress('${DB_PASSWORD}'))],
  },
  fix: 'change the password, then remove it from the session',
});

function buildAddress(password: string): string {
  return `DATABASE_URL=postgres://weather:${password}@db.weather.net/maps`;
}
