import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'no-type',
  severity: 'warning',
  summary: 'An entry has no type',
  help:
    'Pi keeps the entry in the tree, so its children stay linked, but does not send it to the model. If it was a ' +
    'message, restore the type by hand: `"type":"message"`.',
  example: {
    fires: [HEADER, QUESTION, { ...ANSWER, type: undefined }, NEXT],
    silent: [HEADER, QUESTION, ANSWER, NEXT],
  },
});
