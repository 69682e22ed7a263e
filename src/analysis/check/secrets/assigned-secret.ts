import { ANSWERED, HEADER, toolResult } from '../example.js';
import { defineSecretRule } from './secret-rule.js';

export default defineSecretRule({
  name: 'assigned-secret',
  severity: 'warning',
  summary: 'A variable named password, secret, key or token has a random value',
  help:
    'Most secrets have no format of their own, and are recognised only by their name: `DB_PASSWORD=…`, `"apiKey": ' +
    '"…"`. A value counts if it is at least eight characters long, or twelve without quotes, contains letters and ' +
    'digits, and is not a path, template, call or name. After a name such as `password`, five characters are enough. ' +
    'This is a heuristic: it misses passwords made of words, and may report random values that are not secret. See [Secrets](../use/secrets.md).',
  example: {
    fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'WEATHER_API_KEY=7Gh2kLm9Qx4vTz8R')],
    silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'WEATHER_API_KEY=your-key-goes-here-1')],
  },
  fix: 'change it if it is a secret, then remove it from the session',
});
