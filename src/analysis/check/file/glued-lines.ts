import { defineRule } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'glued-lines',
  group: 'file',
  severity: 'error',
  summary: 'Several entries share one line',
  help:
    'A newline is missing: the process died before it wrote the newline, or two processes wrote at once. Pi before ' +
    '0.84.4 did not add a missing newline when it opened a file, so the next entry was glued to the last one. Two ' +
    'objects on one line are not JSON, so Pi drops both, and the entries that follow them lose all that stands above. ' +
    '`ctx check --fix` puts each on a line of its own.',
  example: {
    fires: [HEADER, ANSWERED.map((line) => JSON.stringify(line)).join(''), NEXT],
    silent: [HEADER, ...ANSWERED, NEXT],
  },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'glued-lines', 'ctx check --fix puts each entry on a line of its own'),
});
