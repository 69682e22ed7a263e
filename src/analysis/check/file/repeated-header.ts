import { ANSWER, HEADER, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'repeated-header',
  severity: 'warning',
  summary: 'A second session header is among the entries',
  help:
    'Two sessions were written to one file, by `cat` or by two processes. Pi reads only the first header. It ' +
    'ignores the id, the version and the folder of the others, and reads the entries after them as part of the ' +
    'first session. Nothing is lost as long as their ids differ. `ctx repair` removes the extra header.',
  example: { fires: [HEADER, QUESTION, HEADER, ANSWER], silent: [HEADER, QUESTION, ANSWER] },
  fix: 'ctx repair moves the header to a separate file',
});
