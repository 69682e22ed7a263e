import { ANSWER, HEADER, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'late-header',
  severity: 'error',
  summary: 'The session header is not the first line',
  help:
    'Pi treats the first readable line as the header. If an entry comes first, Pi since 0.80.3 refuses to open ' +
    'the file; older versions overwrote it with an empty session. ctx reads the entries before the header like ' +
    'all others. `ctx repair` moves the header to the first line.',
  example: { fires: [QUESTION, HEADER, ANSWER], silent: [HEADER, QUESTION, ANSWER] },
  fix: 'ctx repair moves the header to the first line',
});
