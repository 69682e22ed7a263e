import { defineRule } from '../define.js';
import { ANSWERED, HEADER } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'missing-header',
  group: 'file',
  severity: 'error',
  summary: 'The file has no session header',
  help:
    'The first line of a session says its id, its version and where it ran. Without it Pi since 0.80.3 refuses to open the ' +
    'file; older versions overwrote it with an empty session. A header that has no `id` is none. `ctx check --fix` puts a ' +
    'header before the first entry.',
  example: { fires: ANSWERED, silent: [HEADER, ...ANSWERED] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'missing-header', 'ctx check --fix puts a header first'),
});
