import { defineRule } from '../define.js';
import { ANSWER, HEADER, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'late-header',
  group: 'file',
  severity: 'error',
  summary: 'The session header is not the first line',
  help:
    'Pi takes the first line that it can read for the header. If an entry comes first, Pi since 0.80.3 refuses to open the ' +
    'file; older versions overwrote it with an empty session. ctx reads the entries before the header like all others. ' +
    '`ctx check --fix` puts the header first.',
  example: { fires: [QUESTION, HEADER, ANSWER], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'late-header', 'ctx check --fix puts the header first'),
});
