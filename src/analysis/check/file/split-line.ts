import { defineRule } from '../define.js';
import { ANSWER, HEADER, user } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'split-line',
  group: 'file',
  severity: 'error',
  summary: 'One entry is spread over several lines',
  help:
    'Pi reads one entry from each line. An entry that a tool has pretty-printed, or a raw newline inside a string, makes ' +
    'each of its lines unreadable: Pi drops them all, and the entries that follow it lose all that stands above. ' +
    '`ctx check --fix` puts the entry on one line again.',
  example: {
    fires: [HEADER, JSON.stringify(user('u1', null, 'Two\nlines')).replace('\\n', '\n'), ANSWER],
    silent: [HEADER, user('u1', null, 'Two\nlines'), ANSWER],
  },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'split-line', 'ctx check --fix puts the entry on one line'),
});
