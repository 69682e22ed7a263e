import { defineRule } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'cycle',
  group: 'tree',
  severity: 'error',
  summary: 'The parents of an entry lead back to it',
  help:
    'No version of Pi looks for cycles: it follows the parents until the memory is used up, and the process dies. ctx cuts ' +
    'the path where it would repeat. A repeated id is the usual reason. `ctx check --fix` cuts the cycle for good.',
  example: { fires: [HEADER, { ...QUESTION, parentId: 'u2' }, ANSWER, NEXT], silent: [HEADER, QUESTION, ANSWER, NEXT] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'cycle', 'ctx check --fix cuts the cycle'),
});
