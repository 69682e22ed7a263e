import { ANSWERED, entry, HEADER } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'dangling-label',
  severity: 'warning',
  summary: 'A label names an entry that is not in the file',
  help:
    'Pi does not show the label, and nothing else depends on it. But Pi labels only existing entries, so the ' +
    'entry was lost: look for a damaged line nearby. `ctx repair` leaves the label as it is.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('label', 'l1', 'a1', { targetId: 'gone', label: 'start' })],
    silent: [HEADER, ...ANSWERED, entry('label', 'l1', 'a1', { targetId: 'u1', label: 'start' })],
  },
});
