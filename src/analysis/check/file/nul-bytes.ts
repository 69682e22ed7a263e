import { ANSWER, HEADER, QUESTION } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'nul-bytes',
  severity: 'error',
  summary: 'NUL bytes are in place of an entry',
  help:
    'After a crash or a full disk, a file system can leave zeros where it lost the last writes. NUL bytes are not ' +
    'valid JSON, so Pi drops the line, including an entry that follows the bytes on it. The next entry then loses ' +
    'everything before it. `ctx repair` removes the bytes and keeps the entry, if there is one.',
  example: {
    fires: [HEADER, `${'\0'.repeat(8)}${JSON.stringify(QUESTION)}`, ANSWER],
    silent: [HEADER, QUESTION, ANSWER],
  },
  fix: 'ctx repair removes the NUL bytes',
});
