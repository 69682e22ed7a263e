import { defineRule } from '../define.js';
import { ANSWERED, HEADER, toolResult } from '../example.js';
import { lookingFor } from './found.js';

/** In two parts, so that nobody who searches the sources takes it for one. */
const KEY = ['AKIA', 'Q3EGRZJ2XKPL7YTN'].join('');

export default defineRule({
  name: 'credential',
  group: 'secrets',
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
  ...lookingFor('credential', 'revoke it where it was made, then take it out of the session'),
});
