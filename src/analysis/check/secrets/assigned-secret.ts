import { defineRule } from '../define.js';
import { ANSWERED, HEADER, toolResult } from '../example.js';
import { lookingFor } from './found.js';

export default defineRule({
  name: 'assigned-secret',
  group: 'secrets',
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
  ...lookingFor('assigned-secret', 'change it if it is a secret, then take it out of the session'),
});
