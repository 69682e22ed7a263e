import { defineRule } from '../define.js';
import { ANSWER, HEADER, NEXT, QUESTION } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'no-id',
  group: 'file',
  severity: 'error',
  summary: 'An entry has no id',
  help:
    'Entries are linked by their ids. Pi finds no way to an entry without one, unless it is the last of the file, and then ' +
    'it is alone on its path. This is what becomes of a version 1 session that Pi has forked without migrating it: a ' +
    'version 3 header over entries that have neither id nor parent. `ctx check --fix` gives the entry an id, and links it ' +
    'to the entry before it.',
  example: { fires: [HEADER, QUESTION, { ...ANSWER, id: undefined }, NEXT], silent: [HEADER, QUESTION, ANSWER, NEXT] },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'no-id', 'ctx check --fix gives it an id'),
});
