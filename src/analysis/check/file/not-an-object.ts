import { defineRule } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'not-an-object',
  group: 'file',
  severity: 'error',
  summary: 'A line is JSON but no object',
  help:
    'Every entry is a JSON object. Of other values Pi drops `null`, `0`, `false` and `""`, but keeps the rest as entries ' +
    'that have no id. If such a line is the last one of the file, Pi starts from it, and the context is empty. ' +
    '`ctx check --fix` takes these lines out.',
  example: { fires: [HEADER, ...ANSWERED, '[1]', NEXT], silent: [HEADER, ...ANSWERED, NEXT] },
  looksAt: 'session',
  find: (session) =>
    problemsOf(session, 'not-an-object', 'ctx check --fix takes the line out, and keeps it in a file of its own'),
});
