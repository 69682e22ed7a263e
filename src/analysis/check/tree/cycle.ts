import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'cycle',
  severity: 'error',
  summary: 'The parents of an entry form a cycle',
  help:
    'No version of Pi detects cycles: it follows the parents until memory runs out, and the process dies. ctx ' +
    'cuts the path where it would repeat. The usual cause is a repeated id. `ctx repair` removes the cycle.',
  example: {
    fires: [HEADER, { ...QUESTION, parentId: 'u2' }, ANSWER, NEXT],
    silent: [HEADER, QUESTION, ANSWER, NEXT],
  },
  fix: 'ctx repair removes the cycle',
});
