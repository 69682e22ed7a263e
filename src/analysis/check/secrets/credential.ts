import { ANSWERED, HEADER, toolResult } from '../example.js';
import { defineSecretRule } from './secret-rule.js';

/** Split, so that secret scanners do not report this file. */
const KEY = ['AKIA', 'Q3EGRZJ2XKPL7YTN'].join('');

export default defineSecretRule({
  name: 'credential',
  severity: 'error',
  summary: 'A key or token of a known service is in plain text',
  help:
    'Every text of a session was sent to a provider, is stored on disk as plain text, and is copied with the ' +
    'session into bug reports, shared transcripts and backups. Every reader can use the key. The rule recognises ' +
    'the key formats of about a hundred services, and ignores placeholders and examples from documentation. ' +
    'Revoke the key first, then remove it from the session. See [Secrets](../use/secrets.md).',
  example: {
    fires: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', `aws_access_key_id = ${KEY}`)],
    silent: [HEADER, ...ANSWERED, toolResult('t1', 'a1', 'c1', 'aws_access_key_id = AKIAIOSFODNN7EXAMPLE')],
  },
  fix: 'revoke it at the service that issued it, then remove it from the session',
});
