import { ANSWER, HEADER, user } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'split-line',
  severity: 'error',
  summary: 'One entry spans several lines',
  help:
    'Pi reads one entry from each line. If a tool pretty-prints an entry, or leaves a raw newline inside a ' +
    'string, none of its lines can be read. Pi drops them all, and the entries that follow lose everything ' +
    'before. `ctx repair` puts the entry on one line again.',
  example: {
    fires: [HEADER, JSON.stringify(user('u1', null, 'Two\nlines')).replace('\\n', '\n'), ANSWER],
    silent: [HEADER, user('u1', null, 'Two\nlines'), ANSWER],
  },
  fix: 'ctx repair puts the entry on one line',
});
