import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'no-id',
  severity: 'error',
  summary: 'An entry has no id',
  help:
    'Entries are linked by their ids. Pi cannot reach an entry without an id, unless it is the last of the file, ' +
    'and then it is alone on its path. Pi produces such files when it forks a version 1 session without migrating ' +
    'it: a version 3 header, followed by entries with neither id nor parent. `ctx repair` gives the entry an ' +
    'id, and links it to the entry before it.',
  example: {
    fires: [HEADER, QUESTION, { ...ANSWER, id: undefined }, NEXT],
    silent: [HEADER, QUESTION, ANSWER, NEXT],
  },
  fix: 'ctx repair gives it an id',
});
