import { defineRule } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'dangling-edit',
  group: 'tree',
  severity: 'warning',
  summary: 'A context edit names an entry that is not in the file',
  help:
    'The edit does nothing: what it was to leave out or replace is not there. If the entry is in the file under another ' +
    'id, the model sees what should have been hidden from it. `ctx check --fix` leaves the edit as it is.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'gone', replacement: null })],
    silent: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })],
  },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'dangling-edit'),
});
