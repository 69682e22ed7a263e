import { ANSWERED, HEADER, NEXT } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'not-an-object',
  severity: 'error',
  summary: 'A line is JSON but not an object',
  help:
    'Every entry is a JSON object. Pi drops the values `null`, `0`, `false` and `""`, and keeps all others as ' +
    'entries without an id. If such a line is the last one of the file, Pi starts from it, and the context is ' +
    'empty. `ctx repair` removes these lines.',
  example: { fires: [HEADER, ...ANSWERED, '[1]', NEXT], silent: [HEADER, ...ANSWERED, NEXT] },
  fix: 'ctx repair moves the line to a separate file',
});
