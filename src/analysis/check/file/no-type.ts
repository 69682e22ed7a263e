import { defineRule } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'no-type',
  group: 'file',
  severity: 'warning',
  summary: 'An entry has no type',
  help:
    'Pi keeps such an entry in its place, so that those below it are still linked, but nothing of it reaches the model. ' +
    'If it was a message, the type has to be put back by hand: `"type":"message"`.',
  example: {
    fires: [HEADER, QUESTION, { ...ANSWER, type: undefined }, NEXT],
    silent: [HEADER, QUESTION, ANSWER, NEXT],
  },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'no-type'),
});
