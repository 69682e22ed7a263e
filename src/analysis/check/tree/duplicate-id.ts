import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'duplicate-id',
  severity: 'error',
  summary: 'Two entries have the same id',
  help:
    'Pi finds an entry by its id, and the later line wins. The earlier entry becomes unreachable, and its ' +
    'children now follow the later one. If that closes a loop, Pi runs out of memory. The usual causes are two ' +
    'processes that wrote to one session, or two concatenated files. `ctx repair` gives the later entry a ' +
    'new id.',
  example: { fires: [HEADER, QUESTION, ANSWER, { ...NEXT, id: 'u1' }], silent: [HEADER, QUESTION, ANSWER, NEXT] },
  fix: 'ctx repair gives the later entry a new id',
});
