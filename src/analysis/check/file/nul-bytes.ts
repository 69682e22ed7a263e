import { defineRule } from '../define.js';
import { ANSWER, HEADER, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'nul-bytes',
  group: 'file',
  severity: 'error',
  summary: 'NUL bytes stand where an entry should be',
  help:
    'A file system that lost its last writes, after a crash or a full disk, leaves zeros in their place. JSON knows no NUL ' +
    'bytes, so Pi drops the line, with the entry that may stand behind them, and what follows that entry loses all that ' +
    'stands above it. `ctx check --fix` removes the bytes and keeps the entry, if there is one.',
  example: {
    fires: [HEADER, `${'\0'.repeat(8)}${JSON.stringify(QUESTION)}`, ANSWER],
    silent: [HEADER, QUESTION, ANSWER],
  },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'nul-bytes', 'ctx check --fix removes the NUL bytes'),
});
