import { defineRule } from '../define.js';
import { ANSWER, HEADER, QUESTION, torn } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'torn-tail',
  group: 'file',
  severity: 'error',
  summary: 'The last line ends in the middle of an entry',
  help:
    'A write was cut off: the process died, the disk was full, or it is still going on. Pi drops the line without ' +
    'a word and goes on from the entry before it. `ctx check --fix` closes what can be closed.',
  example: { fires: [HEADER, QUESTION, torn(ANSWER)], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'torn-tail', 'ctx check --fix closes the entry, as far as it was written'),
});
