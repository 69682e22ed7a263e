import { defineRule } from '../define.js';
import { ANSWERED, HEADER } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'byte-order-mark',
  group: 'file',
  severity: 'error',
  summary: 'A byte order mark stands before an entry',
  help:
    'Some editors on Windows put the three bytes EF BB BF at the beginning of a file. They are not JSON, so Pi cannot ' +
    'read the line that begins with them, and if that is the header, it refuses to open the file; only Pi before 0.78 ' +
    'read over a mark. `ctx check --fix` removes it.',
  example: { fires: [`\ufeff${JSON.stringify(HEADER)}`, ...ANSWERED], silent: [HEADER, ...ANSWERED] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'byte-order-mark', 'ctx check --fix removes the mark'),
});
