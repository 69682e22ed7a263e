import { ANSWERED, HEADER, NEXT } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'glued-lines',
  severity: 'error',
  summary: 'Several entries share one line',
  help:
    'A newline is missing: the process died before it wrote the newline, or two processes wrote at once. Pi ' +
    'before 0.84.4 did not add a missing newline when it opened a file, so it appended the next entry to the last ' +
    'line. Two objects on one line are not valid JSON. Pi drops both, and the entries that follow them lose ' +
    'everything before. `ctx repair` puts each entry on its own line.',
  example: {
    fires: [HEADER, ANSWERED.map((line) => JSON.stringify(line)).join(''), NEXT],
    silent: [HEADER, ...ANSWERED, NEXT],
  },
  fix: 'ctx repair puts each entry on its own line',
});
