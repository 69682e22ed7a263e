import { ANSWERED, entry, HEADER } from '../example.js';
import { defineProblemRule } from '../problem-rule.js';

export default defineProblemRule({
  name: 'dangling-edit',
  severity: 'warning',
  summary: 'A context edit names an entry that is not in the file',
  help:
    'The edit has no effect, because its target is missing. If the target is in the file under another id, the ' +
    'model sees a message that should be hidden. `ctx repair` leaves the edit as it is.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'gone', replacement: null })],
    silent: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })],
  },
});
