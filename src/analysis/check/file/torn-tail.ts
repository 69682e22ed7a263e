import { ANSWER, HEADER, QUESTION, tearLine } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'torn-tail',
  severity: 'error',
  summary: 'The last line is truncated',
  help:
    'A write was cut off: the process died, the disk was full, or the write is still in progress. Pi silently ' +
    'drops the line and continues from the entry before it. `ctx repair` closes the entry where it can.',
  example: { fires: [HEADER, QUESTION, tearLine(ANSWER)], silent: [HEADER, QUESTION, ANSWER] },
  fix: 'ctx repair closes the truncated entry',
});
