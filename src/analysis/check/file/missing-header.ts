import { ANSWERED, HEADER } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'missing-header',
  severity: 'error',
  summary: 'The file has no session header',
  help:
    'The first line of a session contains its id, its version and its working directory. Without it, Pi since ' +
    '0.80.3 refuses to open the file; older versions overwrote it with an empty session. A header without an `id` ' +
    'does not count. `ctx repair` adds a header before the first entry.',
  example: { fires: ANSWERED, silent: [HEADER, ...ANSWERED] },
  fix: 'ctx repair adds a header',
});
