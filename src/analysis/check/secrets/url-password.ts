import { defineRule } from '../define.js';
import { ANSWERED, HEADER, toolResult } from '../example.js';
import { lookingFor } from './found.js';

export default defineRule({
  name: 'url-password',
  group: 'secrets',
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
  ...lookingFor('url-password', 'change the password, then take it out of the session'),
});

function address(password: string): string {
  return `DATABASE_URL=postgres://weather:${password}@db.weather.net/maps`;
}
