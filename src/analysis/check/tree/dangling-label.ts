import { defineRule } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { problemsOf } from '../problems.js';

export default defineRule({
  name: 'dangling-label',
  group: 'tree',
  severity: 'warning',
  summary: 'A label stands at an entry that is not in the file',
  help:
    'Pi shows the label nowhere, and nothing else depends on it. But Pi labels only entries that it has, so the entry was ' +
    'lost: look for a damaged line near by. `ctx check --fix` leaves the label as it is.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('label', 'l1', 'a1', { targetId: 'gone', label: 'start' })],
    silent: [HEADER, ...ANSWERED, entry('label', 'l1', 'a1', { targetId: 'u1', label: 'start' })],
  },
  looksAt: 'session',
  find: (session) => problemsOf(session, 'dangling-label'),
});
