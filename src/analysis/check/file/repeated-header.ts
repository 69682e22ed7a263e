import { defineRule } from '../define.js';
import { ANSWER, HEADER, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'repeated-header',
  group: 'file',
  severity: 'warning',
  summary: 'A session header stands among the entries',
  help:
    'Two sessions were written to one file, by `cat` or by two processes. Pi reads only the first header: the id, the ' +
    'version and the folder of the others are ignored, and the entries behind them are read as part of the first session. ' +
    'As long as their ids differ nothing is lost. `ctx check --fix` takes the header out.',
  example: { fires: [HEADER, QUESTION, HEADER, ANSWER], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  find: (session) =>
    problemsOf(session, 'repeated-header', 'ctx check --fix takes the header out, and keeps it in a file of its own'),
});
