import { defineRule } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'duplicate-id',
  group: 'tree',
  severity: 'error',
  summary: 'Two entries have the same id',
  help:
    'Pi finds an entry by its id, and the later line wins: the earlier entry cannot be reached any more, and what followed ' +
    'it now follows the later one. Where that closes a loop, Pi runs out of memory. Two processes that wrote to one session, ' +
    'or two files put together, are the usual reason. `ctx check --fix` gives the later entry an id of its own.',
  example: { fires: [HEADER, QUESTION, ANSWER, { ...NEXT, id: 'u1' }], silent: [HEADER, QUESTION, ANSWER, NEXT] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'duplicate-id', 'ctx check --fix gives the later entry an id of its own'),
});
